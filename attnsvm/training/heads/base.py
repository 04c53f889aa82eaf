"""The protocol of a prediction head h in f(X, z) = h(Xᵀ softmax(X W z)).

h(x) = readout(Eᵀx), where the embedding E is a matrix of the head or the identity. Code that composes tokens uses only
these two: one layer embeds its tokens once and mixes the results, and a stack embeds the mixtures of its top layer. The
readout gives value and gradient in closed form, once for arrays and once for the compiled engine. Arrays carry the
instances last. They are NumPy's or torch's, as the weights of the head are.

A new head is one file with one class. The loops are compiled once for all heads, and call what the class compiles: they
take a head as a `Reader`, of one class for all heads.
"""

from abc import ABC, abstractmethod
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.core.ccallback import CFunc

from attnsvm.batch.arithmetic import called_from_loops


class Head(ABC):
    """A head h, which turns the weighted mean of the tokens into a number, with its gradient.

    Attributes:
        embedding: E, (S, d, p); None: the identity, p = d.
        parameters: what the compiled readout reads of the head, (q, S); a head that has nothing to read has no row.
        number: a number that it reads beside them.
    """

    embedding: Any = None
    parameters: Any = np.empty((0, 1))
    number = 0.0

    def embed(self, tokens):
        """The values (n, T, p, S) of tokens (n, T, d, S), and the head whose readout takes mixtures of these values."""
        if self.embedding is None:
            return tokens, self
        rows = tokens.swapaxes(0, 3).swapaxes(2, 3)  # (S, T, n, d)
        return (rows @ self.embedding[:, None]).swapaxes(2, 3).swapaxes(0, 3), self

    @abstractmethod
    def readout(self, mixed):
        """h (n, S) and its gradient (n, p, S) at the mixture `mixed` (n, p, S) of values."""

    @staticmethod
    @abstractmethod
    def readout_lanes(parameters, number, mixed, h, slope) -> None:
        """`readout` for compiled loops, which compile it: LANES instances, in arrays that do not overlap.

        A head whose parameters a stack can train along has `parameter_slope_lanes(parameters, number, mixed, slope)`,
        too: it writes the gradient of h with respect to the parameters to `slope` (q, LANES).

        Args:
            parameters: (q, LANES), of the head; number: as above.
            mixed: (p, LANES), the mixture of values.
            h: (LANES,), to be written; slope: (p, LANES), to be written, the gradient of h.
        """


class Reader(NamedTuple):
    """A head in compiled loops; see `Head` for what the functions are given.

    Attributes:
        readout, parameter_slope: the compiled `readout_lanes` and `parameter_slope_lanes` of its class.
        parameters: (q, LANES), or (q, S) before a batch is cut; a stack moves them in place.
        number: as in `Head`.
    """

    readout: CFunc
    parameter_slope: CFunc
    parameters: np.ndarray
    number: float


def reader(head: Head, count: int) -> Reader:
    """The head of `count` instances for compiled loops."""
    parameters = np.broadcast_to(head.parameters, (len(head.parameters), count))
    return Reader(*_compiled(type(head)), parameters, float(head.number))


def trainable(head: Head) -> bool:
    """Whether a head can be trained along."""
    return hasattr(head, "parameter_slope_lanes")


@cache
def _compiled(head: type[Head]) -> tuple[CFunc, CFunc]:
    slope = getattr(head, "parameter_slope_lanes", _nothing)
    return called_from_loops(head.readout_lanes, READOUT), called_from_loops(slope, SLOPE)


def _nothing(parameters, number, mixed, slope):
    pass


_ROW, _ROWS = types.float64[::1], types.float64[:, ::1]
READOUT = types.void(_ROWS, types.float64, _ROWS, _ROW, _ROWS)
SLOPE = types.void(_ROWS, types.float64, _ROWS, _ROWS)
READER = types.BaseTuple.from_types(
    (types.FunctionType(READOUT), types.FunctionType(SLOPE), _ROWS, types.float64), Reader
)
