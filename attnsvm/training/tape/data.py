"""A batch of problems as the inputs of a model on the tape."""

import numpy as np

from attnsvm.data.problems import Problems


def inputs_of(problems: Problems) -> dict[str, np.ndarray]:
    """By name: "tokens" (S, n, T, d), "queries" (S, n, 1, d), "labels" (S, n, 1), "head" as it is.

    One row of attention for each input: queries and predictions have an axis for rows.
    """
    return {
        "tokens": problems.tokens,
        "queries": problems.queries[:, :, None],
        "labels": problems.labels[..., None],
        "head": problems.head,
    }
