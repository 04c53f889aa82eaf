"""The inputs of an encoder's layer as `Problems` carry them: padded, every text between two delimiters."""

import numpy as np

from attnsvm.inspect.layers import Inputs


def of_a_layer(problems) -> bool:
    """Whether these are a layer with its heads; else tokens to be trained on, which have no padding."""
    return problems.lengths is not None


def inputs(problems, s: int) -> Inputs:
    """Instance s: the query of a text is one of its tokens, its first and its last token are delimiters."""
    lengths, queries = problems.lengths[s], problems.queries[s]
    tokens = [X[:length] for X, length in zip(problems.tokens[s], lengths, strict=True)]
    at = [int((z == X).all(1).argmax()) for X, z in zip(tokens, queries, strict=True)]
    marks = [np.isin(np.arange(length), (0, length - 1)) for length in lengths]
    return Inputs(tokens, queries, [], marks, np.arange(len(tokens)), np.array(at))
