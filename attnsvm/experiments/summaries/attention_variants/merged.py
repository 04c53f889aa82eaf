"""The same inputs with half as many tokens: neighbours merged, or one of two left out."""

from dataclasses import replace

import numpy as np

from attnsvm.data.problems import Problems

PLAIN = "attention"
MERGED, RESCALED, HALF = "merged", "merged unit", "half"
SHORTER = (MERGED, RESCALED, HALF)


def shortened(problems: Problems, way: str) -> Problems:
    """The inputs with tokens 2k and 2k + 1 as one; a last token without a neighbour is left out.

    Args:
        way: "merged": their mean; "merged unit": the mean, brought to length one; "half": the first of the two. Any
            other name: the problems as they are.
    """
    if way not in SHORTER:
        return problems
    S, n, T, d = problems.tokens.shape
    pairs = problems.tokens[:, :, : T - T % 2].reshape(S, n, T // 2, 2, d)
    tokens = pairs[:, :, :, 0] if way == HALF else pairs.mean(3)
    if way == RESCALED:
        tokens = tokens / np.linalg.norm(tokens, axis=-1, keepdims=True)
    return replace(problems, tokens=tokens)
