"""What a page shows of the inputs: words, places, delimiters."""

import numpy as np

from attnsvm.inspect.layers import Inputs
from attnsvm.inspect.measures import Bench


def inputs(bench: Bench) -> dict[str, list[dict]]:
    """Those of a layer that are fitted, and those held out."""
    of = bench.layer.inputs
    return {"fit": [_input(of, i) for i in bench.fit_rows], "held": [_input(of, i) for i in bench.held_rows]}


def _input(inputs: Inputs, i: int) -> dict:
    """Words, where the query stands (−1: not among them), and the token numbers of delimiters."""
    words = inputs.words[i] if inputs.words else [str(t) for t in range(len(inputs.tokens[i]))]
    start = int(inputs.start[i])
    marked = (start + np.flatnonzero(inputs.delimiters[i])).tolist()
    asks = start + int(inputs.position[i]) if inputs.position[i] >= 0 else -1
    return {"text": int(inputs.text[i]), "words": words, "query": asks, "delimiters": marked}
