"""A head of a model, by what it reads: an .npz file with tokens (n, T, d), queries (n, e) and W (d, e).

benchopt run benchmarks/benchopt -d "head[path=head.npz]"
"""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "head"
    parameters = {"path": [None]}

    def skip(self):
        return self.path is None, "a file is needed: -d 'head[path=head.npz]'"

    def get_data(self):
        with np.load(self.path, allow_pickle=False) as given:
            tokens, queries, W = given["tokens"], given["queries"], given["W"]
        return {
            "tokens": tokens,
            "queries": queries,
            "selected": np.einsum("ntd,de,ne->nt", tokens, W, queries).argmax(1),
        }
