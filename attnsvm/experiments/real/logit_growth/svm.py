"""The spectral max-margin solution of what each head selects for one query of each of some held-out inputs."""

import numpy as np

from attnsvm.svm.constraints import separation
from attnsvm.svm.instances import answers


def svm(problems, trained, settings):
    found = {}
    for run, ends in trained["runs"].items():
        batch, inputs = [], np.arange(settings["fitted"])
        for network, layer, head in np.ndindex(ends["size"].shape[0], *ends["size"].shape[2:]):
            tokens = ends["tokens"][network, -1, layer, inputs]
            queries = tokens[inputs, 5 * inputs % tokens.shape[1]]  # at several places
            selected = (tokens @ (queries @ ends["W"][network, -1, layer, head].T)[..., None])[..., 0].argmax(-1)
            batch.append(separation(tokens, queries, selected))
        found[run] = answers(batch, "spectral")
    return found
