"""Next-token descent against automatic differentiation, multiple precision and a second minimiser."""

import mpmath
import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from attnsvm.data.cells import Cell
from attnsvm.experiments.beyond.next_token import model
from attnsvm.experiments.beyond.next_token.data import NextToken
from attnsvm.experiments.beyond.next_token.descent import Parts, split, split_factors
from attnsvm.experiments.beyond.next_token.finite import finite_part
from attnsvm.experiments.beyond.next_token.model import LOSSES
from attnsvm.experiments.beyond.next_token.problems import problems, token_numbers
from attnsvm.training.tape.node import Node

SHAPE = {"n": 6, "T": 4, "d": 8}


def drawn(kind="cyclic", seeds=(0, 1, 2, 3)):
    return problems(Cell(**SHAPE, seeds=seeds, variant=kind), {"vocabulary": 6})


def data_sets(kind="cyclic", seeds=(0, 1, 2, 3)):
    return NextToken.of(*token_numbers(drawn(kind, seeds)))


def somewhere(data, seed):
    """Coordinates theta (S, r) of size one, and their W (S, d, d)."""
    theta = np.random.default_rng(seed).normal(size=data.equal.shape)
    W = data.matrices(theta[:, None])[:, 0]
    return data.coordinates(W), W


def gradient_by_torch(tokens, queries, label, W, loss, inside=None):
    """∂L/∂W (d, d) of one data set; with `inside`, of its components alone."""
    W = torch.tensor(W, requires_grad=True)
    logits = torch.einsum("ntd,de,ne->nt", torch.tensor(tokens), W, torch.tensor(queries))
    if inside is not None:
        logits = logits.masked_fill(~torch.tensor(inside), -torch.inf)
    u = (torch.softmax(logits, 1) * torch.tensor(label)).sum(1)
    value = (-u.log()).mean() if loss == "nll" else ((1 - u) ** 2).mean()
    value.backward()
    return W.grad.numpy()


@pytest.mark.parametrize("kind", ["cyclic", "acyclic"])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_two_parts_are_the_gradient_before_it_saturates(kind, loss):
    """At weights of size one, against the gradient of torch: whole, and outside of the span of the equalities."""
    given, data = drawn(kind), data_sets(kind)
    theta, W = somewhere(data, 0)
    whole = np.stack(
        [gradient_by_torch(given.tokens[s], given.queries[s], data.label[s], W[s], loss) for s in range(4)]
    )
    inputs = {name: Node(array) for name, array in model.whole(data).items()}
    found = model.slope(model.loss(loss), theta, inputs).value()
    np.testing.assert_allclose(data.matrices(found.mT)[:, 0], whole, atol=1e-14)
    beyond = data.coordinates(whole) * (1 - data.equal)
    _, found = Parts(data, loss)(theta)
    for a, b in zip(found, beyond, strict=True):
        np.testing.assert_allclose(a / np.linalg.norm(a), b / np.linalg.norm(b), atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_part_inside_is_the_gradient_of_the_components_alone(loss):
    given, data = drawn(), data_sets()
    theta, W = somewhere(data, 1)
    found, _ = Parts(data, loss)(theta)
    found = data.matrices(found[:, None])[:, 0]
    for s in range(4):
        wanted = gradient_by_torch(given.tokens[s], given.queries[s], data.label[s], W[s], loss, data.inside[s])
        np.testing.assert_allclose(found[s], wanted, atol=1e-14)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("size", [30.0, 3000.0])
def test_the_part_outside_is_exact_however_deep(loss, size):
    """Its direction, orthogonal to the equalities, against multiple precision at margins of thousands."""
    given, data = drawn(), data_sets()
    theta, _ = somewhere(data, 2)
    theta *= np.where(data.equal > 0, 0.3, size)
    _, found = Parts(data, loss)(theta)
    for s in range(4):
        logits = (data.features[s] @ theta[s][:, None])[..., 0]
        exact = by_multiple_precision(logits, data.label[s], loss)
        coefficients = exact_float(exact, given.tokens[s], given.queries[s], data.basis[s])
        G = np.einsum("nt,ntd,ne->de", coefficients, given.tokens[s], given.queries[s])
        G -= sum((B * G).sum() * B for B in data.basis[s])
        H = np.tensordot(found[s], data.axes[s], 1)
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
    coefficients = [list(row) for row in exact]
    with mpmath.workdps(4000):
        # Differences inside a component lie in the span: giving them to one of its tokens changes nothing outside.
        for i, t in np.ndindex(n, T):
            for r in range(t):
                difference = rows[i * T + t] - rows[i * T + r]
                inside = np.linalg.norm(difference - flat.T @ (flat @ difference)) < 1e-9
                if inside and coefficients[i][t] != 0:
                    coefficients[i][r] += coefficients[i][t]
                    coefficients[i][t] = mpmath.mpf(0)
                    break
        largest = max(abs(x) for row in coefficients for x in row)
        return np.array([[float(x / largest) for x in row] for row in coefficients])


def inside_loss(theta, rows, label, inside, loss):
    e = np.where(inside, np.exp(np.tensordot(theta, rows, 1)), 0.0)
    u = (e * label).sum(1) / e.sum(1)
    return (-np.log(u)).mean() if loss == "nll" else ((1 - u) ** 2).mean()


@pytest.mark.parametrize("loss", LOSSES)
def test_the_finite_part_is_the_minimiser_that_a_second_method_finds(loss):
    seeds = tuple(range(12))
    given, data = drawn(seeds=seeds), data_sets(seeds=seeds)
    W, found = finite_part(data, loss)
    assert found.sum() >= 8
    for s in np.flatnonzero(found):
        basis = data.basis[s][np.abs(data.basis[s]).max((1, 2)) > 0]
        rows = np.einsum("ntd,rde,ne->rnt", given.tokens[s], basis, given.queries[s])
        theta = minimize(inside_loss, np.zeros(len(rows)), (rows, data.label[s], data.inside[s], loss), tol=1e-14).x
        np.testing.assert_allclose(np.tensordot(theta, basis, 1), W[s], atol=1e-5)  # that of BFGS on differences
        np.testing.assert_allclose(W[s], np.tensordot((basis * W[s]).sum((1, 2)), basis, 1), atol=1e-12)


def test_a_loss_that_is_least_at_infinity_has_no_finite_part():
    """A data set whose bounded loss falls as far out as it is followed, while −log u of the same has a minimum."""
    data = data_sets(seeds=(5,))
    assert finite_part(data, "nll")[1].all()
    assert not finite_part(data, "squared")[1].any()
    far = split(data, "squared", 0.0, np.array([20, 200, 2000]), inner=150.0)[0]
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


@pytest.mark.parametrize("kind", ["cyclic", "acyclic"])
def test_coordinates_give_the_same_differences_of_logits_and_an_orthonormal_basis(kind):
    given, data = drawn(kind), data_sets(kind)
    W = np.random.default_rng(5).normal(size=(4, 8, 8))
    logits = np.einsum("sntd,sde,sne->snt", given.tokens, W, given.queries)
    ours = (data.features.reshape(4, -1, 18) @ data.coordinates(W)[..., None]).reshape(4, 6, 4)
    np.testing.assert_allclose(ours - ours[..., :1], logits - logits[..., :1], atol=1e-12)
    flat = data.axes.reshape(4, 18, -1)
    kept = np.abs(flat).max(-1) > 0
    np.testing.assert_allclose(flat @ flat.mT, np.eye(18) * kept[:, None], atol=1e-12)
    assert (kept[:, :6] >= (data.equal[:, :6] > 0)).all()


def test_factors_move_as_their_product_is_asked_to():
    """One step of (K, Q), without plain steps, along the gradient of torch with respect to both factors."""
    given, data, rng = drawn("acyclic"), data_sets("acyclic"), np.random.default_rng(3)
    K, Q = rng.normal(size=(2, 4, 8, 8)) * 0.4
    found = split_factors(data, K, Q, "nll", 0.2, np.array([1]), inner=0.0)[:, 0]
    for s in range(4):
        G = gradient_by_torch(given.tokens[s], given.queries[s], data.label[s], K[s] @ Q[s].T, "nll")
        of_K, of_Q = G @ Q[s], G.T @ K[s]
        length = 0.2 / np.sqrt((of_K**2).sum() + (of_Q**2).sum()) / np.sqrt((K[s] ** 2).sum() + (Q[s] ** 2).sum())
        np.testing.assert_allclose(found[s], (K[s] - length * of_K) @ (Q[s] - length * of_Q).T, atol=1e-13)
