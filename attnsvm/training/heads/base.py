"""The protocol of a prediction head h in f(X, z) = h(Xᵀ softmax(X W z)).

h(x) = readout(Eᵀx), where the embedding E is a matrix of the head or the identity. Code that composes tokens uses only
these two: one layer embeds its tokens once and mixes the results, and a stack embeds the mixtures of its top layer. The
readout gives value and gradient in closed form, once for arrays and once for the compiled engine. Arrays carry the
instances last. They are NumPy's or torch's, as the weights of the head are.

A new head is one file: a class for arrays, and the NamedTuple that its compiled readout reads.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple


class Head(ABC):
    """A head h, which turns the weighted mean of the tokens into a number, with its gradient.

    Attributes:
        embedding: E, (S, d, p); None: the identity, p = d.
    """

    embedding: Any = None

    def embed(self, tokens):
        """The values (n, T, p, S) of tokens (n, T, d, S), and the head whose readout takes mixtures of these values."""
        if self.embedding is None:
            return tokens, self
        rows = tokens.swapaxes(0, 3).swapaxes(2, 3)  # (S, T, n, d)
        return (rows @ self.embedding[:, None]).swapaxes(2, 3).swapaxes(0, 3), self

    @abstractmethod
    def readout(self, mixed):
        """h (n, S) and its gradient (n, p, S) at the mixture `mixed` (n, p, S) of values."""

    @abstractmethod
    def compiled(self) -> NamedTuple:
        """The head for the compiled engine: numpy arrays (..., S) and numbers, and methods that are compiled.

        They see LANES instances, in arrays that do not overlap (`lanes.arithmetic.Apart`):
            `readout(self, mixed, h, slope)` reads the mixture (p, LANES) of values, and writes h (LANES) and its
                gradient `slope` (p, LANES);
            `parameters(self)` and `parameter_slope(self, mixed, slope)`: only for a head that can be trained along with
                the attention weights. The first returns one array of the head, (q, LANES), which the loop moves in
                place. The second writes the gradient of h with respect to this array, (q, LANES).
        """
