"""Descent on next tokens (Li et al., "Mechanics of next token prediction", arXiv:2403.08081), for many data sets.

Input i with the tokens x_it and the query z_i, its last token, is to predict one of its own tokens: u_i is the softmax
weight of that token, wherever it stands, and the loss is mean −log u_i ("nll") or mean (1 − u_i)² ("squared").

Tokens of the label's strongly connected component keep finite logit differences; all others lose without end. So
u_i = w_i (1 − δ_i): w_i the label's share inside its component, δ_i the weight outside of it. The gradient has a part
that does not vanish until the differences inside are right, and one that falls like δ. Divided by its own norm as a
whole, it becomes rounding noise of the first. Apart, each part does its work: the one inside takes plain steps, the one
outside steps of length η in its exact direction, orthogonal to the first one's space and with δ kept as a logarithm.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from attnsvm.graphs import token_graphs

LOSSES = ("nll", "squared")
RULES = ("published", "split")
NEVER = -1e300  # a logarithm of nothing, from which a logarithm can be taken away

DEPENDENT = 1e-9  # relative size below which an equality follows from others
NEWTON_STEPS, NEWTON_ENDS, FLAT, LONGEST, HALVINGS = 100, 1e-9, 1e-12, 2.0, 60  # LONGEST: of a step
FINITE = 1e-6  # least curvature at a minimum that is not at infinity: shares of 1e-6 and less have none

compiled = njit(cache=True, nogil=True, error_model="numpy")


@dataclass(frozen=True)
class NextToken:
    """S data sets of n inputs of T tokens.

    Attributes:
        tokens: (S, n, T, d); queries: (S, n, d).
        label: (S, n, T) bool, where the token to predict stands.
        inside: (S, n, T) bool, the tokens of the label's component, the label among them.
        basis: (S, r, d, d), orthonormal: the span of the equalities, (v_a − v_b) v_kᵀ for a, b of one component of k;
            zero where a data set has fewer.
    """

    tokens: np.ndarray
    queries: np.ndarray
    label: np.ndarray
    inside: np.ndarray
    basis: np.ndarray

    @classmethod
    def of(cls, vocabulary: np.ndarray, inputs: np.ndarray, labels: np.ndarray, last: np.ndarray) -> "NextToken":
        """From the embeddings (S, K, d) of each data set's tokens, and token numbers (S, n, T), (S, n) and (S, n)."""
        S, n = labels.shape
        K, d = vocabulary.shape[1:]
        inside, basis = np.zeros(inputs.shape, dtype=bool), np.zeros((S, n, d, d))  # at most n − 1 equalities
        for s in range(S):
            graphs = token_graphs(inputs[s], labels[s], K, last[s])
            own = graphs.component[np.searchsorted(graphs.last, last[s])]
            inside[s] = np.take_along_axis(own, inputs[s], 1) == np.take_along_axis(own, labels[s][:, None], 1)
            graph, a, b = np.nonzero(np.triu(graphs.together))
            left = vocabulary[s, a] - vocabulary[s, b]
            rows = left[:, :, None] * vocabulary[s, graphs.last[graph]][:, None, :]
            if len(rows):
                _, sizes, axes = np.linalg.svd(rows.reshape(len(rows), d * d), full_matrices=False)
                rank = int((sizes > DEPENDENT * sizes[0]).sum())
                basis[s, :rank] = axes[:rank].reshape(rank, d, d)
        places = np.arange(S)[:, None]
        label = inputs == labels[..., None]
        return cls(vocabulary[places[..., None], inputs], vocabulary[places, last], label, inside, basis)

    def onto_basis(self, W: np.ndarray) -> np.ndarray:
        """The part of W (S, ..., d, d) in the span of the equalities."""
        S, r = self.basis.shape[:2]
        flat = self.basis.reshape(S, r, -1)
        return (W.reshape(S, -1, flat.shape[2]) @ flat.mT @ flat).reshape(W.shape)


@compiled
def _log_sum(logits, where, value):
    """log Σ exp of the logits (T,) at which `where` equals `value`; `NEVER` where there is none."""
    top = NEVER
    for t in range(len(logits)):
        if where[t] == value and logits[t] > top:
            top = logits[t]
    if top == NEVER:
        return NEVER
    total = 0.0
    for t in range(len(logits)):
        if where[t] == value:
            total += np.exp(logits[t] - top)
    return top + np.log(total)


@compiled
def slope_inside(logits, label, inside, squared, out):
    """∂/∂logits (n, T) of the loss with the component alone in the softmax, written to `out`."""
    n, T = logits.shape
    for i in range(n):
        of_all, of_label = _log_sum(logits[i], inside[i], True), _log_sum(logits[i], label[i], True)
        w, rest = 0.0, 0.0  # the label's share and that of the others, each summed: 1 − w would cancel
        for t in range(T):
            if inside[i, t]:
                share = np.exp(logits[i, t] - of_all)
                w, rest = (w + share, rest) if label[i, t] else (w, rest + share)
        front = 2 * rest * w / n if squared else 1.0 / n
        for t in range(T):
            out[i, t] = 0.0
            if inside[i, t]:
                share = np.exp(logits[i, t] - of_all)
                # the label's places among themselves by a softmax of their own: w may underflow
                own = np.exp(logits[i, t] - of_label) if label[i, t] else 0.0
                out[i, t] = front * (-own * rest if label[i, t] else share)


@compiled
def slope_outside(logits, label, inside, squared, out):
    """∂/∂logits (n, T) of the loss through δ, divided by the exponential of the number returned, written to `out`.

    Terms in the span of the equalities are left out: who uses it takes the part orthogonal to them.
    """
    n, T = logits.shape
    largest = NEVER
    for i in range(n):
        top = logits[i].max()
        total = top + np.log(np.exp(logits[i] - top).sum())
        log_in, log_out = _log_sum(logits[i], inside[i], True) - total, _log_sum(logits[i], inside[i], False) - total
        # −dℓ/du · ∂u/∂(1 − δ): 1/(1 − δ) for −log u, and 2 (1 − u) w for (1 − u)²
        front = -log_in
        if squared:
            front += _log_sum(logits[i], label[i], True) - total
            front += np.log(2.0) + _log_sum(logits[i], label[i], False) - total  # 1 − u, without cancellation
        for t in range(T):
            out[i, t] = front + logits[i, t] - total + (log_out if inside[i, t] else log_in)
            largest = max(largest, out[i, t])
    for i in range(n):
        for t in range(T):
            size = np.exp(out[i, t] - largest) / n
            out[i, t] = -size if inside[i, t] else size
    return largest


@compiled
def slope(logits, label, inside, squared, out):
    """∂L/∂logits (n, T) as automatic differentiation computes it, with its rounding and its underflow, to `out`."""
    n, T = logits.shape
    for i in range(n):
        p = np.exp(logits[i] - logits[i].max())
        p /= p.sum()
        u = 0.0
        for t in range(T):
            if label[i, t]:
                u += p[t]
        outer = (-2 * (1 - u) if squared else -1 / u) / n
        for t in range(T):
            out[i, t] = p[t] * ((outer if label[i, t] else 0.0) - outer * u)


@compiled
def _combined(tokens, queries, coefficients, out):
    """Σ_it coefficients_it x_it z_iᵀ, written to `out` (d, d)."""
    n, T, d = tokens.shape
    out[:] = 0.0
    mixed = np.empty(d)
    for i in range(n):
        mixed[:] = 0.0
        for t in range(T):
            for a in range(d):
                mixed[a] += coefficients[i, t] * tokens[i, t, a]
        for a in range(d):
            for b in range(d):
                out[a, b] += mixed[a] * queries[i, b]


@compiled
def _logits(tokens, queries, W, out):
    n, T, d = tokens.shape
    along = np.empty(d)
    for i in range(n):
        for a in range(d):
            total = 0.0
            for b in range(d):
                total += W[a, b] * queries[i, b]
            along[a] = total
        for t in range(T):
            total = 0.0
            for a in range(d):
                total += tokens[i, t, a] * along[a]
            out[i, t] = total


@compiled
def _without_basis(basis, G):
    """Takes the part in the span of the orthonormal `basis` (r, d, d) out of G."""
    for B in basis:
        along = (B * G).sum()
        G -= along * B


@compiled
def _unit(size):
    return 1.0 / size if size > 0 else 0.0


@compiled
def _descend_W(tokens, queries, label, inside, basis, W, squared, split, rate, inner, kept, log):
    n, T, d = tokens.shape
    logits, c, G, slot = np.empty((n, T)), np.empty((n, T)), np.empty((d, d)), 0
    for step in range(kept[-1] + 1):
        if step == kept[slot]:
            log[slot] = W
            slot += 1
        _logits(tokens, queries, W, logits)
        if split:
            slope_inside(logits, label, inside, squared, c)
            _combined(tokens, queries, c, G)
            W -= inner * G
            slope_outside(logits, label, inside, squared, c)
            _combined(tokens, queries, c, G)
            _without_basis(basis, G)
        else:
            slope(logits, label, inside, squared, c)
            _combined(tokens, queries, c, G)
        W -= rate * _unit(np.sqrt((G * G).sum())) * G


@compiled
def _descend_KQ(tokens, queries, label, inside, basis, K, Q, squared, rate, inner, kept, log):
    n, T, d = tokens.shape
    logits, c, G, slot = np.empty((n, T)), np.empty((n, T)), np.empty((d, d)), 0
    for step in range(kept[-1] + 1):
        W = K @ Q.T
        if step == kept[slot]:
            log[slot] = W
            slot += 1
        _logits(tokens, queries, W, logits)
        slope_inside(logits, label, inside, squared, c)
        _combined(tokens, queries, c, G)
        plain = inner / ((K * K).sum() + (Q * Q).sum())  # so that W moves by at most inner·‖G‖
        change_K, change_Q = plain * (G @ Q), plain * (G.T @ K)
        slope_outside(logits, label, inside, squared, c)
        _combined(tokens, queries, c, G)
        _without_basis(basis, G)
        of_K, of_Q = G @ Q, G.T @ K
        # Steps that shrink as the factors grow: W moves by η at most, and what is inside can follow.
        length = rate * _unit(np.sqrt((of_K * of_K).sum() + (of_Q * of_Q).sum()))
        length *= _unit(np.sqrt((K * K).sum() + (Q * Q).sum()))
        K -= change_K + length * of_K
        Q -= change_Q + length * of_Q


def train_W(
    data: NextToken, W: np.ndarray, loss: str, rule: str, rate: float, steps: np.ndarray, inner: float = 1.0
) -> np.ndarray:
    """W (S, L, d, d) after the numbers of updates `steps` (L,), rising, from W (S, d, d).

    Args:
        data: what to learn.
        loss: one of `LOSSES`.
        rule: "published": W ← W − η ∇L/‖∇L‖, in float64; or "split": see the module.
        rate: η, the length of a step; with "split", of one outside the components.
        inner: the rate of the plain steps inside, of a loss whose slopes are those of a mean.
    """
    _require(loss, rule)
    log = np.empty((len(W), len(steps), *W.shape[1:]))
    for s in range(len(W)):
        _descend_W(*_one(data, s), W[s].copy(), loss == "squared", rule == "split", rate, inner, steps, log[s])
    return log


def train_KQ(
    data: NextToken, K: np.ndarray, Q: np.ndarray, loss: str, rate: float, steps: np.ndarray, inner: float = 1.0
) -> np.ndarray:
    """K Qᵀ (S, L, d, d), trained by the rule "split" from K and Q (S, d, m); both factors by their joint norm."""
    _require(loss, "split")
    log = np.empty((len(K), len(steps), K.shape[1], Q.shape[1]))
    for s in range(len(K)):
        _descend_KQ(*_one(data, s), K[s].copy(), Q[s].copy(), loss == "squared", rate, inner, steps, log[s])
    return log


def _one(data: NextToken, s: int):
    return tuple(np.ascontiguousarray(x[s]) for x in vars(data).values())


def _require(loss: str, rule: str) -> None:
    if loss not in LOSSES:
        raise ValueError(f"loss: expected one of {', '.join(LOSSES)}, got {loss!r}")
    if rule not in RULES:
        raise ValueError(f"rule: expected one of {', '.join(RULES)}, got {rule!r}")


def finite_part(data: NextToken, loss: str) -> tuple[np.ndarray, np.ndarray]:
    """W_fin (S, d, d), and whether it exists, (S,) bool.

    It is the minimiser of the loss inside the components, of least norm: by Newton from zero, in their own space. Zero
    where a data set has no component of two tokens. (1 − u)² is not convex, and may be least at infinity: eigenvalues
    of the Hessian are taken by their size, steps are halved until the loss falls, and a minimum has to be curved.
    """
    W, found = np.zeros(data.basis[:, 0].shape), np.ones(len(data.basis), dtype=bool)
    for s in range(len(W)):
        tokens, queries, label, inside, basis = _one(data, s)
        basis = basis[np.abs(basis).max((1, 2)) > 0]
        if len(basis):
            rows = np.einsum("ntd,rde,ne->rnt", tokens, basis, queries)  # the logits of each element of the basis
            theta, found[s] = _newton(rows, label, inside, loss == "squared")
            W[s] = np.tensordot(theta, basis, 1) if found[s] else 0.0
    return W, found


def _newton(rows, label, inside, squared):
    """(coefficients of the rows, whether they are a curved minimum)."""
    theta, slopes = np.zeros(len(rows)), np.empty(label.shape)
    value = _inside_loss(np.tensordot(theta, rows, 1), label, inside, squared)
    for _ in range(NEWTON_STEPS):
        logits = np.tensordot(theta, rows, 1)
        slope_inside(logits, label, inside, squared, slopes)
        gradient = np.tensordot(rows, slopes, 2)
        curvature, axes = np.linalg.eigh(_hessian(rows, logits, label, inside, squared))
        step = axes @ ((axes.T @ gradient) / np.maximum(np.abs(curvature), FLAT))
        if np.linalg.norm(step) <= NEWTON_ENDS * (1 + np.linalg.norm(theta)):
            return theta - step, bool(curvature[0] > FINITE)
        step *= min(1.0, LONGEST / np.linalg.norm(step))
        for _ in range(HALVINGS):
            after = _inside_loss(np.tensordot(theta - step, rows, 1), label, inside, squared)
            if after <= value:
                break
            step = step / 2
        theta, value = theta - step, after
    return theta, False


def _shares(logits, label, inside):
    """The softmax inside the components (n, T), and the label's share (n,)."""
    p = np.exp(np.where(inside, logits - np.where(inside, logits, -np.inf).max(1, keepdims=True), -np.inf))
    p /= p.sum(1, keepdims=True)
    return p, np.where(label, p, 0.0).sum(1)


def _inside_loss(logits, label, inside, squared):
    _, w = _shares(logits, label, inside)
    return float(((1 - w) ** 2).mean() if squared else -np.log(w).mean())


def _hessian(rows, logits, label, inside, squared):
    """∂²/∂θ² of the loss inside, from the first two derivatives of each w."""
    p, w = _shares(logits, label, inside)
    q = np.where(label, p, 0.0) / w[:, None]  # the softmax among the label's places
    mean_p, mean_q = (np.einsum("nt,rnt->rn", weight, rows) for weight in (p, q))
    second = [np.einsum("nt,rnt,snt->rsn", weight, rows, rows) for weight in (p, q)]
    spread = [s - m[:, None] * m[None] for s, m in zip(second, (mean_p, mean_q), strict=True)]
    slope_log, curve_log = mean_q - mean_p, spread[1] - spread[0]  # of log w
    if not squared:
        return -curve_log.mean(-1)
    outer = slope_log[:, None] * slope_log[None]
    slope_w2, curve_w = w * w * outer, w * (curve_log + outer)
    return 2 * (slope_w2 - (1 - w) * curve_w).mean(-1)
