"""Next-token descent against automatic differentiation, multiple precision and a second minimiser."""

import mpmath
import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from attnsvm.cells import Cell
from attnsvm.experiments.next_token.problems import problems, token_numbers
from attnsvm.training.next_token import LOSSES, NextToken, finite_part, slope, slope_outside, train_KQ, train_W

SHAPE = {"n": 6, "T": 4, "d": 8}


def data_sets(kind="cyclic", seeds=(0, 1, 2, 3)):
    drawn = problems(Cell(**SHAPE, seeds=seeds, variant=kind), {"vocabulary": 6})
    return NextToken.of(*token_numbers(drawn))


def one(data, s):
    return tuple(x[s] for x in vars(data).values())


def gradient_by_torch(data, s, W, loss):
    tokens, queries, label, *_ = one(data, s)
    W = torch.tensor(W, requires_grad=True)
    logits = torch.einsum("ntd,de,ne->nt", torch.tensor(tokens), W, torch.tensor(queries))
    u = (torch.softmax(logits, 1) * torch.tensor(label)).sum(1)
    value = (-u.log()).mean() if loss == "nll" else ((1 - u) ** 2).mean()
    value.backward()
    return W.grad.numpy()


@pytest.mark.parametrize("loss", LOSSES)
def test_the_two_parts_are_the_gradient_before_it_saturates(loss):
    """One step of either rule, from weights of size one, against the gradient of torch."""
    data, rng = data_sets(), np.random.default_rng(0)
    W = rng.normal(size=(4, 8, 8))
    whole = np.stack([gradient_by_torch(data, s, W[s], loss) for s in range(4)])
    step = np.array([1])
    published = train_W(data, W, loss, "published", 0.3, step)[:, 0]
    unit = whole / np.linalg.norm(whole, axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(W - published, 0.3 * unit, atol=1e-13)
    split = train_W(data, W, loss, "split", 0.3, step, inner=0.0)[:, 0]  # the part outside alone
    outside = whole - data.onto_basis(whole)
    unit = outside / np.linalg.norm(outside, axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(W - split, 0.3 * unit, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_plain_steps_are_the_gradient_of_the_components_alone(loss):
    """Far out along an order, where nothing is left outside, torch's gradient inside is all there is."""
    data = data_sets()
    rng = np.random.default_rng(1)
    W = rng.normal(size=(4, 8, 8))
    moved = W - train_W(data, W, loss, "split", 0.0, np.array([1]), inner=1.0)[:, 0]
    for s in range(4):
        tokens, queries, label, inside, _ = one(data, s)
        V = torch.tensor(W[s], requires_grad=True)
        logits = torch.einsum("ntd,de,ne->nt", torch.tensor(tokens), V, torch.tensor(queries))
        shares = torch.softmax(logits.masked_fill(~torch.tensor(inside), -torch.inf), 1)
        u = (shares * torch.tensor(label)).sum(1)
        ((-u.log()).mean() if loss == "nll" else ((1 - u) ** 2).mean()).backward()
        np.testing.assert_allclose(moved[s], V.grad.numpy(), atol=1e-14)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("size", [1.0, 30.0, 3000.0])
def test_the_part_outside_is_exact_however_deep(loss, size):
    """Its direction, orthogonal to the equalities, against multiple precision at margins of thousands."""
    data = data_sets()
    rng = np.random.default_rng(2)
    for s in range(4):
        tokens, queries, label, inside, basis = one(data, s)
        W = rng.normal(size=(8, 8))
        W = size * (W - data.onto_basis(np.broadcast_to(W, (4, 8, 8)))[s]) + rng.normal(size=(8, 8)) * 0.3
        logits = np.einsum("ntd,de,ne->nt", tokens, W, queries)
        found = np.empty(logits.shape)
        slope_outside(logits, label, inside, loss == "squared", found)
        exact = by_multiple_precision(logits, label, loss)
        G, H = (
            np.einsum("nt,ntd,ne->de", c, tokens, queries) for c in (found, exact_float(exact, tokens, queries, basis))
        )
        G = G - sum((B * G).sum() * B for B in basis)
        H = H - sum((B * H).sum() * B for B in basis)
        assert (G * H).sum() / np.linalg.norm(G) / np.linalg.norm(H) > 1 - 1e-9


def by_multiple_precision(logits, label, loss):
    """∂L/∂logits of the plain loss with 4000 digits: nothing cancels, nothing underflows."""
    with mpmath.workdps(4000):
        rows = []
        for a, here in zip(logits, label, strict=True):
            e = [mpmath.exp(mpmath.mpf(float(x))) for x in a]
            total = mpmath.fsum(e)
            u = mpmath.fsum(x for x, k in zip(e, here, strict=True) if k) / total
            outer = -1 / u if loss == "nll" else -2 * (1 - u)
            rows.append([x / total * outer * (int(k) - u) for x, k in zip(e, here, strict=True)])
        return rows


def exact_float(exact, tokens, queries, basis):
    """The coefficients with their part along the equalities taken out in multiple precision, scaled to floats.

    The part inside the components is of order one, the part outside may be 1e-1000 of it.
    """
    n, T = len(exact), len(exact[0])
    rows = np.einsum("ntd,ne->ntde", tokens, queries).reshape(n * T, -1)
    flat = basis[np.abs(basis).max((1, 2)) > 0].reshape(-1, rows.shape[1])
    if len(flat) == 0:
        coefficients = exact
    else:
        # Differences inside a component lie in the span: giving them to one of its tokens changes nothing outside.
        coefficients = [list(row) for row in exact]
        with mpmath.workdps(4000):
            for i in range(n):
                for t in range(T):
                    for r in range(t):
                        difference = rows[i * T + t] - rows[i * T + r]
                        inside = np.linalg.norm(difference - flat.T @ (flat @ difference)) < 1e-9
                        if inside and coefficients[i][t] != 0:
                            coefficients[i][r] += coefficients[i][t]
                            coefficients[i][t] = mpmath.mpf(0)
                            break
    with mpmath.workdps(4000):
        largest = max(abs(x) for row in coefficients for x in row)
        return np.array([[float(x / largest) for x in row] for row in coefficients])


@pytest.mark.parametrize("loss", LOSSES)
def test_the_published_slope_is_that_of_torch_with_its_underflow(loss):
    data = data_sets()
    tokens, queries, label, inside, _ = one(data, 0)
    found = np.empty(label.shape)
    slope(np.full(label.shape, 0.0), label, inside, loss == "squared", found)
    G = np.einsum("nt,ntd,ne->de", found, tokens, queries)
    np.testing.assert_allclose(G, gradient_by_torch(data, 0, np.zeros((8, 8)), loss), atol=1e-15)
    slope(np.where(label, 900.0, 0.0), label, inside, loss == "squared", found)
    assert not found.any()


def inside_loss(theta, tokens, queries, label, inside, basis, loss):
    logits = np.einsum("ntd,de,ne->nt", tokens, np.tensordot(theta, basis, 1), queries)
    e = np.where(inside, np.exp(logits), 0.0)
    u = (e * label).sum(1) / e.sum(1)
    return (-np.log(u)).mean() if loss == "nll" else ((1 - u) ** 2).mean()


@pytest.mark.parametrize("loss", LOSSES)
def test_the_finite_part_is_the_minimiser_that_a_second_method_finds(loss):
    data = data_sets(seeds=tuple(range(12)))
    W, found = finite_part(data, loss)
    assert found.sum() >= 8
    for s in np.flatnonzero(found):
        tokens, queries, label, inside, basis = one(data, s)
        basis = basis[np.abs(basis).max((1, 2)) > 0]

        theta = minimize(inside_loss, np.zeros(len(basis)), (tokens, queries, label, inside, basis, loss), tol=1e-14).x
        np.testing.assert_allclose(np.tensordot(theta, basis, 1), W[s], atol=1e-5)  # that of BFGS on differences
        np.testing.assert_allclose(W[s], np.tensordot((basis * W[s]).sum((1, 2)), basis, 1), atol=1e-12)


def test_a_loss_that_is_least_at_infinity_has_no_finite_part():
    """A data set whose bounded loss falls as far out as it is followed, while −log u of the same has a minimum."""
    data = data_sets(seeds=(5,))
    assert finite_part(data, "nll")[1].all()
    assert not finite_part(data, "squared")[1].any()
    far = train_W(data, np.zeros((1, 8, 8)), "squared", "split", 0.0, np.array([1000, 10000, 100000]), inner=3.0)[0]
    sizes = np.linalg.norm(far, axis=(1, 2))
    assert sizes[1] > sizes[0] + 0.1
    assert sizes[2] > sizes[1] + 0.1


def test_without_a_cycle_nothing_is_inside():
    data = data_sets("acyclic")
    assert not data.basis.any()
    W, found = finite_part(data, "nll")
    assert found.all()
    assert not W.any()
    assert (data.inside == data.label).all()


def test_factors_move_as_their_product_is_asked_to():
    """One step of (K, Q), without plain steps, along the gradient of torch with respect to both factors."""
    data, rng = data_sets("acyclic"), np.random.default_rng(3)
    K, Q = rng.normal(size=(2, 4, 8, 8)) * 0.4
    found = train_KQ(data, K, Q, "nll", 0.2, np.array([1]), inner=0.0)[:, 0]
    for s in range(4):
        G = gradient_by_torch(data, s, K[s] @ Q[s].T, "nll")
        of_K, of_Q = G @ Q[s], G.T @ K[s]
        length = 0.2 / np.sqrt((of_K**2).sum() + (of_Q**2).sum()) / np.sqrt((K[s] ** 2).sum() + (Q[s] ** 2).sum())
        np.testing.assert_allclose(found[s], (K[s] - length * of_K) @ (Q[s] - length * of_Q).T, atol=1e-13)


def test_an_unknown_loss_or_rule_is_named():
    data = data_sets()
    W = np.zeros((4, 8, 8))
    with pytest.raises(ValueError, match="loss: expected one of nll, squared, got 'hinge'"):
        train_W(data, W, "hinge", "split", 0.1, np.array([1]))
    with pytest.raises(ValueError, match="rule: expected one of published, split, got 'sgd'"):
        train_W(data, W, "nll", "sgd", 0.1, np.array([1]))
