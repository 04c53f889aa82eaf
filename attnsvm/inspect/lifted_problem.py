"""Certified solutions where logits depend on distance: one kernel of lifted tokens for all heads and null models."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from attnsvm.errors import require
from attnsvm.inspect import cycles
from attnsvm.inspect.layers import Inputs
from attnsvm.inspect.lifted import Head
from attnsvm.inspect.positions.rotary import Rotary
from attnsvm.svm import lifted, memory
from attnsvm.svm.ledger import judged
from attnsvm.svm.solution import Status

RIDGE = 1e-10  # relative to constraints of length one: repeated tokens make their Gram matrix singular


@dataclass(frozen=True)
class Expansion:
    """A lifted W by multipliers ν of the fitted tokens.

    Attributes:
        nu: (N,). value: ‖W‖_F.
        scales: what the norms of the head multiply lifted tokens by, given inputs; None where there are none.
    """

    problem: "LiftedProblem"
    nu: np.ndarray
    value: float
    scales: Callable[[Inputs], np.ndarray | None]

    def logits(self, inputs: Inputs) -> np.ndarray:
        """(N',) of all tokens of the inputs, one input after another."""
        across = self.problem.across(inputs)
        mine = self.problem.inputs
        found = lifted.expanded(*across, mine.owner, inputs.owner, self._weighed(mine))
        scale = self.scales(inputs)
        return found if scale is None else found * scale

    def size(self) -> float:
        return self.value

    def _weighed(self, inputs):
        scale = self.scales(inputs)
        return self.nu if scale is None else self.nu * scale


@dataclass(frozen=True)
class LiftedSolution:
    """The answer for one selection; as `svm.solution.Solution`, with an `Expansion` in the place of W."""

    status: Status
    W: Expansion
    dual: np.ndarray
    gap: float
    rank: int

    @property
    def solved(self) -> bool:
        return self.status is Status.SOLVED


class LiftedProblem:
    """The inputs of a layer, whatever they select; as `solving.Problem`, in the Frobenius norm alone."""

    def __init__(self, inputs: Inputs, way: Rotary, kernel: lifted.Kernel | None = None):
        self.inputs, self.way = inputs, way
        self.kernel = lifted.Kernel(self._features(inputs)) if kernel is None else kernel
        self._head: Head | None = None  # whose norms weigh the tokens,
        self._plain: LiftedProblem | None = None  # of this problem
        self._across: tuple[Inputs, tuple] | None = None

    def seen_by(self, head: Head) -> "LiftedProblem":
        """The problem with the tokens as the norms of a head divide them; itself where there are no norms."""
        scale = head.scales(self.inputs)
        if scale is None:
            return self
        made = LiftedProblem(self.inputs, self.way, self.kernel.weighted(scale))
        made._head, made._plain = head, self
        return made

    def without_delimiters(self) -> "LiftedProblem":
        """The same queries without delimiters to choose from."""
        few = np.array([(~marks).sum() < 2 for marks in self.inputs.delimiters])
        rows = np.flatnonzero(~np.concatenate(self.inputs.delimiters) & ~few[self.inputs.owner])
        return LiftedProblem(self.inputs.without_delimiters(), self.way, self.kernel.take(rows))

    def certified(self, selected: np.ndarray, norm: str = "fro", near: np.ndarray | None = None) -> LiftedSolution:
        """The solution for one token per input; the ledger counts one answer.

        Args:
            near: (N,) logits of a head that selects these tokens: a start for the solver.
        """
        before = Counter(judged)
        answer = self._refuted(selected) or lifted.solve(self.kernel, selected, near)
        judged.clear()
        judged.update(before + Counter([answer.status.value]))
        scales = (lambda _: None) if self._head is None else self._head.scales
        W = Expansion(self, answer.nu, answer.value, scales)
        return LiftedSolution(answer.status, W, answer.dual, answer.gap, answer.rank)

    def across(self, inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
        """The kernel of the fitted tokens with others, not weighed; kept for the inputs last asked for."""
        if self._plain is not None:
            return self._plain.across(inputs)
        if inputs is self.inputs:
            return self.kernel.tokens, self.kernel.products
        if self._across is None or self._across[0] is not inputs:
            self._across = inputs, self.kernel.across(self._features(inputs))
        return self._across[1]

    def index(self, selected: np.ndarray) -> np.ndarray:
        """(m, 3): the input of every constraint, its selected token and the other one."""
        _, loser = self.kernel.constraints(selected)
        owner = self.inputs.owner[loser]
        return np.column_stack([owner, selected[owner], loser - self.kernel.first[owner]])

    def margins(self, W: Head | Expansion, selected: np.ndarray) -> np.ndarray:
        """(m,) by how much each selected token wins."""
        winner, loser = self.kernel.constraints(selected)
        logits = W.logits(self.inputs)
        return logits[winner] - logits[loser]

    def cosines(self, W: Head | Expansion, others: list) -> list[float]:
        """The cosine of W with each of the others, all projected onto the span of the constraint matrices."""
        some = np.zeros(len(self.inputs), dtype=int)
        scale, factor = self._whatever
        seen = np.column_stack([self.margins(A, some) * scale for A in (W, *others)])
        products = seen.T @ cho_solve(factor, seen)
        size = np.sqrt(np.maximum(np.diag(products), 0.0))
        return [
            float(products[0, k] / (size[0] * size[k])) if size[0] > 0 and size[k] > 0 else float("nan")
            for k in range(1, len(products))
        ]

    @cached_property
    def _whatever(self):
        """Lengths of the constraints of some selection, and the factor of their Gram matrix."""
        pair = self.kernel.constraints(np.zeros(len(self.inputs), dtype=int))
        need, free = 3 * 8.0 * len(pair[0]) ** 2, memory.available()
        sentence = f"{len(pair[0])} constraints need {need / 1e9:.1f} GB to be compared, {free / 1e9:.1f} GB are free: "
        require(need < free, sentence + "inspect fewer inputs or shorter texts")
        scale = 1 / np.sqrt(np.maximum(self.kernel.squares(*pair), np.finfo(float).tiny))
        gram = self.kernel.gram(pair, pair)
        gram *= scale
        gram *= scale[:, None]
        gram[np.diag_indices(len(gram))] += RIDGE
        return scale, cho_factor(gram, overwrite_a=True)

    def _features(self, inputs: Inputs) -> lifted.Features:
        return lifted.Features(inputs.flat, self.way.features(inputs.distance), inputs.queries, inputs.owner)

    def _refuted(self, selected) -> lifted.Answer | None:
        """Infeasible by a cycle, if the checker agrees."""
        winner, loser = self.kernel.constraints(selected)
        dual = cycles.contradiction(self.inputs.owner[loser], winner, loser, *self._same)
        if dual is None:
            return None
        answer = lifted.refuted(self.kernel, selected, dual)
        return answer if answer.status is Status.INFEASIBLE else None

    @cached_property
    def _same(self):
        features = self.kernel.features
        return cycles.equal(np.column_stack([features.content, features.places])), cycles.equal(features.queries)
