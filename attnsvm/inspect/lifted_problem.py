"""Certified solutions where logits depend on distance: one kernel of lifted tokens for all heads and null models."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, solve_triangular

from attnsvm import machine
from attnsvm.errors import require
from attnsvm.inspect import cycles
from attnsvm.inspect.layers import Inputs
from attnsvm.inspect.lifted import Head
from attnsvm.inspect.positions.disentangled import Disentangled
from attnsvm.inspect.positions.rotary import Rotary
from attnsvm.inspect.recent import Recent
from attnsvm.svm import lifted
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
        mine = self.problem.inputs
        if inputs is mine:
            return self.problem.kernel.logits(self.nu)
        found = lifted.expanded(*self.problem.across(inputs), mine.owner, inputs.owner, self._weighed(mine))
        scale = self.scales(inputs)
        return found if scale is None else found * scale

    def slope(self, inputs: Inputs) -> np.ndarray:
        """(N', D) the derivative of every logit by its token, norms being frozen."""
        mine, used = self.problem.inputs, np.flatnonzero(self.nu)
        fitted, others = self.problem.features_of(mine), self.problem.features_of(inputs)
        weights = others.places @ fitted.places[used].T
        weights *= (others.queries @ fitted.queries.T)[others.owner][:, fitted.owner[used]]
        found = (weights * self._weighed(mine)[used]) @ fitted.content[used]
        scale = self.scales(inputs)
        return found if scale is None else found * scale[:, None]

    def size(self) -> float:
        return self.value

    def _weighed(self, inputs):
        scale = self.scales(inputs)
        return self.nu if scale is None else self.nu * scale


@dataclass(frozen=True, kw_only=True)
class LiftedSolution(lifted.Answer):
    """The answer for one selection; as `svm.solution.Solution`, with an `Expansion` in the place of W."""

    W: Expansion


class LiftedProblem:
    """The inputs of a layer, whatever they select; as `solving.Problem`, in the Frobenius norm alone."""

    def __init__(self, inputs: Inputs, way: Rotary | Disentangled, kernel: lifted.Kernel | None = None):
        self.inputs, self.way = inputs, way
        self.kernel = lifted.Kernel(self.features_of(inputs)) if kernel is None else kernel
        self._head: Head | None = None  # whose norms weigh the tokens,
        self._plain: LiftedProblem | None = None  # of this problem
        self._across, self._sizes = Recent(), Recent()

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
        inputs = self.inputs.without_delimiters()
        return LiftedProblem(inputs, self.way, self.kernel.take(inputs.cut[1]))

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
        return LiftedSolution(**vars(answer), W=W)

    def across(self, inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
        """The kernel of the fitted tokens with others, not weighed; kept for the inputs last asked for."""
        if self._plain is not None:
            return self._plain.across(inputs)
        return self._across.of(inputs, lambda: self.kernel.across(self.features_of(inputs)))

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

    def cosines(self, W: Head, others: list[Expansion]) -> list[float]:
        """The cosine of W with each solution of this problem, projected onto the span of the constraint matrices.

        That span is the same for whatever the inputs select, and solutions lie in it.
        """
        size = self._sizes.of(W, lambda: self._projected_size(W))
        products = [float(other.nu @ W.logits(self.inputs)) for other in others]
        return [
            a / (size * other.size()) if size > 0 else float("nan") for a, other in zip(products, others, strict=True)
        ]

    def _projected_size(self, W: Head) -> float:
        some = np.zeros(len(self.inputs), dtype=int)
        scale, triangle = self._whatever
        seen = self.margins(W, some) * scale
        return float(np.linalg.norm(solve_triangular(triangle, seen, trans="T", check_finite=False)))

    @cached_property
    def _whatever(self):
        """Inverse lengths of the constraints of some selection, and the triangle U of their Gram matrix Uᵀ U."""
        pair = self.kernel.constraints(np.zeros(len(self.inputs), dtype=int))
        need, free = 3 * 8.0 * len(pair[0]) ** 2, machine.memory()
        sentence = f"{len(pair[0])} constraints need {need / 1e9:.1f} GB to be compared, {free / 1e9:.1f} GB are free: "
        require(need < free, sentence + "inspect fewer inputs or shorter texts")
        scale = 1 / np.sqrt(np.maximum(self.kernel.squares(*pair), np.finfo(float).tiny))
        gram = self.kernel.gram(pair, pair)
        gram *= scale
        gram *= scale[:, None]
        gram[np.diag_indices(len(gram))] += RIDGE
        return scale, cho_factor(gram.T, overwrite_a=True, check_finite=False)[0]

    def features_of(self, inputs: Inputs) -> lifted.Features:
        """Content, places and queries of inputs, before the norms of a head weigh them."""
        places = self.way.features(inputs.distance, inputs.unturned_flat)
        return lifted.Features(inputs.flat, places, inputs.queries, inputs.owner)

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
        parts = np.column_stack([cycles.equal(features.content), cycles.equal(features.places)])
        return cycles.equal(parts), cycles.equal(features.queries)
