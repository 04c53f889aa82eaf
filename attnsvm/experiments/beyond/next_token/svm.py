"""The Graph-SVM of every data set, in both norms, and the one whose margins follow the rates of the squared loss.

An input whose label is alone in its component ends with 1 − u of the order of δ, so that its slope under (1 − u)²
falls like δ²; where another token of the component stays, the slope falls like δ. For the slopes of all inputs to fall
at one rate, the former need half of the latter's margin.
"""

import numpy as np

from attnsvm.data.graphs import token_graphs
from attnsvm.experiments.beyond.next_token.problems import token_numbers
from attnsvm.svm.graph import graph_constraints
from attnsvm.svm.instances import answers

ALONE = 0.5  # the margin of an input whose label is alone


def svm(problems, trained, settings):
    vocabulary, inputs, labels, last = token_numbers(problems)
    even, graded = [], []
    for embeddings, X, y, z in zip(vocabulary, inputs, labels, last, strict=True):
        graphs = token_graphs(X, y, len(embeddings), z)
        even.append(graph_constraints(embeddings, graphs))
        graded.append(graph_constraints(embeddings, graphs, rates(graphs, X, y, z)))
    solved = {norm: answers(even, norm) for norm in ("fro", "nuc")}
    return solved | {"graded": answers(graded)}


def rates(graphs, inputs, labels, last):
    """The margin of each edge (K, K, K), [k, a, b], that the squared loss asks for: the largest of its inputs'."""
    margins = np.zeros((graphs.component.shape[1],) * 3)
    for X, y, z in zip(inputs, labels, last, strict=True):
        own = graphs.component[np.searchsorted(graphs.last, z)]
        together = own[X] == own[y]
        margin = 1.0 if (together & (y != X)).any() else ALONE
        margins[z, y, X] = np.maximum(margins[z, y, X], margin)
    return margins
