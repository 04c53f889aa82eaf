"""Heads whose logits depend on distance: linear in lifted tokens, so a max-margin problem; its W is not formed.

One kernel of lifted tokens serves all heads of a layer and their null models.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, solve_triangular

from attnsvm.inspect import cycles
from attnsvm.inspect.layers import Inputs, Recent
from attnsvm.inspect.positions import Disentangled, Rotary
from attnsvm.svm import lifted
from attnsvm.svm.audit_log import judged
from attnsvm.svm.solution import Status
from attnsvm.system import machine
from attnsvm.system.errors import require

AT_ONCE = 2**24  # numbers: pairs of tokens times rows of a head
RIDGE = 1e-10  # relative to constraints of length one: repeated tokens make their Gram matrix singular


@dataclass(frozen=True)
class Norm:
    """A norm of queries or keys: rows k become gamma · k / √(mean k² + epsilon).

    Attributes:
        gamma: (r,).
    """

    gamma: np.ndarray
    epsilon: float

    def size(self, rows: np.ndarray) -> np.ndarray:
        """(...,) what the rows (..., r) are divided by."""
        return np.sqrt((rows * rows).mean(-1) + self.epsilon)


@dataclass(frozen=True)
class Head:
    """The logit of token x̃ at distance δ from the query z̃ is that of `way`, for keys K x̃ and queries Q z̃.

    Attributes:
        key, query: (r, D), the scale of the logits in `query`; rows in the order of `way`.
        norms: of queries and keys, where there are some: frozen, the lifted tokens are divided by them.
    """

    key: np.ndarray
    query: np.ndarray
    way: Rotary | Disentangled
    norms: tuple[Norm, Norm] | None = None
    _known: list = field(init=False, repr=False, compare=False, default_factory=list)

    def logits(self, inputs: Inputs) -> np.ndarray:
        """(N,) of all tokens of the inputs, one input after another; kept for inputs that were asked for."""
        for one, logits in self._known:
            if one is inputs:
                return logits
        k, q = self._rows_of(inputs)
        found = self._of(k, q, inputs.distance, inputs.unturned_flat) * self._frozen(k, q)
        self._known.append((inputs, found))
        return found

    def pairs(self, X: np.ndarray, Z: np.ndarray, unturned: np.ndarray | None = None) -> np.ndarray:
        """(T, T) of all queries (T, D), one in each row, with all tokens (T, D) of one text; unturned: see `Inputs`."""
        k, q, place = X @ self.key.T, (Z @ self.query.T)[:, None], np.arange(float(len(X)))[:, None]
        some = np.array_split(np.arange(len(X)), 1 + len(X) ** 2 * k.shape[1] // AT_ONCE)
        parts = [self._of(k, q[i], place[i] - place.T, unturned) * self._frozen(k, q[i]) for i in some]
        return np.concatenate(parts)

    def scales(self, inputs: Inputs) -> np.ndarray | None:
        """(N,) what the norms multiply the lifted tokens by; None without norms."""
        if self.norms is None:
            return None
        return self._frozen(*self._rows_of(inputs))

    def slope(self, inputs: Inputs) -> np.ndarray:
        """(N, D) the derivative of every logit by its token, norms being frozen."""
        k, q = self._rows_of(inputs)
        gains = (1.0, 1.0) if self.norms is None else (self.norms[0].gamma, self.norms[1].gamma)
        rows = self.way.slope(gains[0] * q, inputs.distance, inputs.unturned_flat) * gains[1]
        return (rows * np.reshape(self._frozen(k, q), (-1, 1))) @ self.key

    def reduced(self) -> np.ndarray:
        """A matrix with the singular values of the lifted W."""
        query, key = self._rows()
        return self.way.reduced(key, query)

    def size(self) -> float:
        """The Frobenius norm of the lifted W."""
        return float(np.linalg.norm(self.reduced()))

    def turned(self, rng: np.random.Generator) -> "Head":
        """The null model: K and Q after rotations of uniform direction, one for all frequencies."""
        return replace(self, key=_turned(self.key, rng), query=_turned(self.query, rng))

    def mismatched(self, other: "Head") -> "Head":
        """The null model with the keys of this head and the queries of another."""
        norms = self.norms and other.norms and (other.norms[0], self.norms[1])
        return replace(self, query=other.query, norms=norms)

    def _rows_of(self, inputs):
        return inputs.along(self.key), (inputs.queries @ self.query.T)[inputs.owner]

    def _rows(self):
        """Q and K with the gains of the norms."""
        if self.norms is None:
            return self.query, self.key
        return tuple(norm.gamma[:, None] * rows for norm, rows in zip(self.norms, (self.query, self.key), strict=True))

    def _of(self, k, q, distance, unturned):
        if self.norms is not None:
            q, k = self.norms[0].gamma * q, self.norms[1].gamma * k
        return self.way.logits(k, q, distance, unturned)

    def _frozen(self, k, q):
        return 1.0 if self.norms is None else 1 / (self.norms[0].size(q) * self.norms[1].size(k))


def _turned(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """rows (r, D) times a rotation of uniform direction: only where it sends their span is drawn."""
    inside = np.linalg.qr(rows.T, mode="r")
    frame, triangle = np.linalg.qr(rng.normal(size=(rows.shape[1], len(inside))))
    return inside.T @ (frame * np.sign(np.diag(triangle))).T


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

    def pairs(self, X: np.ndarray, Z: np.ndarray, _: np.ndarray | None = None) -> np.ndarray:
        """(T, T) as those of a `Head` without norms."""
        fitted, used = self.problem.features_of(self.problem.inputs), np.flatnonzero(self.nu)
        content = X @ fitted.content[used].T * self.nu[used]
        asks = (Z @ fitted.queries.T)[:, fitted.owner[used]]
        apart = np.arange(1.0 - len(X), len(X))
        near = self.problem.way.features(apart) @ fitted.places[used].T
        return np.stack([(content * near[q : q + len(X)][::-1]) @ z for q, z in enumerate(asks)])

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

    def certified(self, selected: np.ndarray, norm: str = "fro", near: np.ndarray | None = None) -> LiftedSolution:
        """The solution for one token per input; the audit log counts one answer.

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
