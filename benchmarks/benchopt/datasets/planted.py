"""Unit Gaussian tokens and queries, selected by a Gaussian W, so that a separator exists."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "planted"
    # Toy; 3,100 constraints; 62,000 constraints.
    parameters = {"n, T, d": [(6, 8, 10), (100, 32, 32), (1000, 63, 32)], "seed": [0]}

    def get_data(self):
        rng = np.random.default_rng(self.seed)
        tokens, queries = rng.normal(size=(self.n, self.T, self.d)), rng.normal(size=(self.n, self.d))
        tokens /= np.linalg.norm(tokens, axis=-1, keepdims=True)
        queries /= np.linalg.norm(queries, axis=-1, keepdims=True)
        logits = np.einsum("ntd,de,ne->nt", tokens, rng.normal(size=(self.d, self.d)), queries, optimize=True)
        return {"tokens": tokens, "queries": queries, "selected": logits.argmax(1)}
