"""Speed of the descent engine, as ratios against one instance at a time through autograd, in the same run.

    python benchmarks/descent.py               the ratios, the arithmetic bound, torch on the same problems
    python benchmarks/descent.py --throughput  time per instance and memory, from 100 to 100,000 instances
    python benchmarks/descent.py --rules       each rule of descent against Frobenius steps, W and (K, Q)
    python benchmarks/descent.py --decompositions  three ways to the polar factor of a gradient
    python benchmarks/descent.py --large       n=64 T=128, d=64 and 384, against the official loop and a batch in torch

Single-threaded: set OMP_NUM_THREADS=1.
"""

import argparse
import resource
import statistics
import time
from functools import partial

import mpmath
import numpy as np
import torch
from numba import njit

from attnsvm import geometry
from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import matvec
from attnsvm.batch.singular import decomposition, polar
from attnsvm.batch.vector import laid, zeros
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.paper.multi_token.problems import relu
from attnsvm.training import LinearHead, ReluHead, adam, exact, joint, mirror, published, steepest, train
from attnsvm.training.optimisers.gradient_descent import EPSILON

torch.set_num_threads(1)

# name, generator, head, parametrisation, (n, T, d), steps, instances
CASES = [
    ("local convergence, W", gaussian, LinearHead, "W", (6, 8, 10), 2000, 100),
    ("local convergence, (K, Q)", gaussian, LinearHead, "KQ", (6, 8, 10), 2000, 100),
    ("multi-token ReLU, W", relu, ReluHead, "W", (3, 4, 10), 2001, 1000),
]


class Attention(torch.nn.Module):
    """The layer as the official notebooks build it: bias-free linear maps of keys and query."""

    def __init__(self, d, parametrisation, head, nonlinear):
        super().__init__()
        self.maps = torch.nn.ModuleList(torch.nn.Linear(d, d, bias=False) for _ in range(1 + (parametrisation == "KQ")))
        self.head, self.nonlinear = head, nonlinear

    def forward(self, tokens, queries):
        keys = self.maps[-1](tokens)
        queries = queries.unsqueeze(1)
        queries = self.maps[0](queries) if len(self.maps) == 2 else queries
        self.attention = torch.softmax(queries @ keys.transpose(-2, -1), dim=-1)
        mixed = self.attention @ tokens
        return torch.relu(mixed @ self.head).sum(-1).view(-1) if self.nonlinear else (mixed @ self.head).view(-1)


def one_by_one(problem, parametrisation, nonlinear, steps):
    """The official way: autograd, torch.optim.SGD, gradients normalised in place, W and softmax kept at every step."""
    tokens, queries, labels, head = (torch.from_numpy(x[0]) for x in list(vars(problem).values())[:4])
    model = Attention(tokens.shape[-1], parametrisation, head, nonlinear).double()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    log = []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = torch.log(1 + torch.exp(-labels * model(tokens, queries))).mean()
        factors = [layer.weight for layer in model.maps]
        if len(factors) == 2:
            loss = loss + EPSILON * sum(factor.norm() ** 2 for factor in factors)
        loss.backward()
        for factor in factors:
            factor.grad /= factor.grad.norm() + EPSILON
        optimiser.step()
        W = factors[0].detach().T if len(factors) == 1 else (factors[0].T @ factors[1]).T.detach()
        log.append((W.numpy().copy(), model.attention.detach().max(dim=-1)[0].mean()))


def operations(parametrisation, n, T, d, p):
    """Multiply-adds of one step of one instance, without the exponentials."""
    read = 2 * n * T * p
    if parametrisation == "W":
        return (n * T) ** 2 + read
    return 5 * n * d * d + 2 * n * T * d + 4 * d * d + read


@njit(fastmath={"contract"})
def multiply_adds(A, x, y, rounds):
    for _ in range(rounds):
        matvec(A, x, y)


def peak():
    """Multiply-adds per second on the same small products, all data in the first-level cache."""
    A, x, y = laid(np.full((12, 12, LANES), 1e-3)), laid(np.ones((12, LANES))), laid(np.zeros((12, LANES)))
    multiply_adds(A, x, y, 1)
    rounds = 20_000
    return max(rounds * A.size / seconds(multiply_adds, A, x, y, rounds) for _ in range(5))


def seconds(function, *arguments, **keywords):
    start = time.perf_counter()
    function(*arguments, **keywords)
    return time.perf_counter() - start


def ratios():
    rate = peak()
    print(f"measured peak for such products: {rate / 1e9:.1f} · 10⁹ multiply-adds per second")
    for name, generator, head, kind, (n, T, d), steps, count in CASES:
        problems = draw(generator, range(count), n, T, d)
        train(problems[:1], head, kind, published(0.1), 1, 1)  # compile
        few = steps // 10
        baseline = statistics.median(
            seconds(one_by_one, problems[k : k + 1], kind, head is ReluHead, few) * steps / few for k in range(3)
        )
        arguments = problems, head, kind, published(0.1), steps, steps
        ours = statistics.median(seconds(train, *arguments) / count for _ in range(3))
        in_torch = seconds(train, *arguments, device="cpu:0") / count
        per_step = ours / steps
        bound = operations(kind, n, T, d, d if head is ReluHead else 1) / rate
        print(
            f"{name}: one by one {baseline:.2f} s, here {ours * 1e3:.2f} ms per instance, ratio {baseline / ours:.0f}; "
            f"{per_step * 1e6:.2f} µs per step, arithmetic bound {bound * 1e6:.2f} µs, "
            f"{per_step / bound:.1f} times it; "
            f"batched torch {in_torch / ours:.1f} times slower"
        )


def throughput():
    for count in (100, 1_000, 10_000, 100_000):
        problems = draw(relu, range(count), 3, 4, 10)
        train(problems[:1], ReluHead, "W", published(0.1), 1, 1)
        taken = seconds(train, problems, ReluHead, "W", published(0.1), 200, 200)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{count} instances: {taken / count / 200 * 1e6:.2f} µs per instance and step, peak memory {memory:.0f} MB"
        )


def rules():
    """Time of a step of each rule, divided by that of exact Frobenius steps on the same problems."""
    problems = draw(gaussian, range(LANES), 6, 8, 10)
    named = {name: steepest(name, 0.1) for name in (*geometry.NAMES, "l1.75", "l3")}
    named |= {"Adam": adam(0.01, 0.9, 0.999)}
    only = {"W": {"mirror, p = 3": mirror(3, 0.1)}, "KQ": {"fro, joint": joint(exact(0.1))}}
    for kind, more in only.items():
        own, times = named | more, {}
        for rule in own.values():
            train(problems[:1], LinearHead, kind, rule, 1, 1)  # compile
        for _ in range(5):  # in turns, so that a busy machine slows all of them; the best of five
            for name, rule in own.items():
                taken = seconds(train, problems, LinearHead, kind, rule, 2000, 2000) / LANES / 2000
                times[name] = min(taken, times.get(name, taken))
        print(f"{kind}, n=6 T=8 d=10: Frobenius {times['fro'] * 1e6:.2f} µs per instance and step")
        for name, taken in times.items():
            print(f"    {name}: {taken / times['fro']:.2f} times that")


@njit(cache=False)
def polars(left, right, logs, room, out, rounds):
    for _ in range(rounds):
        polar(left, right, logs, room, len(left), out)
    return out


def newton_schulz(G, steps=40):
    """The cubic iteration to the polar factor; each step multiplies small singular values by 1.5."""
    X = G / np.linalg.norm(G)
    for _ in range(steps):
        X = 1.5 * X - 0.5 * X @ X.T @ X
    return X


def decompositions():
    """Time and error of three ways to the polar factor of a gradient whose terms fall by a factor exp(−gap) each."""
    generator, n, d = np.random.default_rng(0), 6, 10
    left, right = generator.normal(size=(2, n, d, LANES))
    for gap in (0.0, 2.0, 5.0, 10.0, 40.0):
        logs = laid(np.repeat(-gap * np.arange(n)[:, None], LANES, axis=1))
        given = laid(left), laid(right), logs, decomposition(n, d, d), zeros((d, d, LANES))
        ours = polars(*given, 1).copy()
        taken = min(seconds(polars, *given, 100) for _ in range(5)) / 100 / LANES
        errors, times = {"LAPACK": 0.0, "Newton–Schulz": 0.0}, {"LAPACK": np.inf, "Newton–Schulz": np.inf}
        for lane in range(LANES):
            G = np.einsum("i,ia,ib->ab", np.exp(logs[:, lane]), left[..., lane], right[..., lane])
            with mpmath.workdps(400):  # the smallest term is exp(−200)
                factors = (mpmath.matrix(x[..., lane].tolist()) for x in (left, right))
                A, Z = factors
                exact_G = A.T * mpmath.diag([mpmath.exp(x) for x in logs[:, lane].tolist()]) * Z
                U, _, V = mpmath.svd_r(exact_G)
                wanted = np.array((U[:, :n] * V[:n, :]).tolist(), dtype=float)
            start = time.perf_counter()
            U, _, V = np.linalg.svd(G)
            found = {"LAPACK": U[:, :n] @ V[:n]}
            middle = time.perf_counter()
            found["Newton–Schulz"] = newton_schulz(G)
            end = time.perf_counter()
            for name, spent in (("LAPACK", middle - start), ("Newton–Schulz", end - middle)):
                times[name] = min(times[name], spent)
                errors[name] = max(errors[name], np.abs(found[name] - wanted).max())
            if lane == 0:
                own = np.abs(ours[..., 0] - wanted).max()
            if lane == 3:  # enough for the error; multiple precision is slow
                break
        others = "; ".join(f"{name} {times[name] * 1e6:.0f} µs, error {errors[name]:.0e}" for name in errors)
        print(f"gap {gap:g}: graded Jacobi {taken * 1e6:.2f} µs, error {own:.0e}; {others}")


def batch_in_torch(problems, parametrisation, steps):
    """Autograd on the whole batch at once, published steps; nothing is logged."""
    X, Z, Y, v = (torch.from_numpy(x) for x in list(vars(problems).values())[:4])
    S, d = v.shape
    factors = [torch.randn(S, d, d, dtype=torch.float64) / d for _ in parametrisation]
    for factor in factors:
        factor.requires_grad_()
    for _ in range(steps):
        W = factors[0] if len(factors) == 1 else factors[0] @ factors[1].mT
        p = torch.softmax((X @ (Z @ W.mT)[..., None])[..., 0], -1)
        f = ((p[..., None, :] @ X)[..., 0, :] * v[:, None]).sum(-1)
        loss = torch.nn.functional.softplus(-Y * f).mean(1).sum()
        if len(factors) == 2:
            loss = loss + EPSILON * sum(factor.square().sum() for factor in factors)
        gradients = torch.autograd.grad(loss, factors)
        with torch.no_grad():
            for factor, gradient in zip(factors, gradients, strict=True):
                factor -= 0.1 * gradient / (gradient.flatten(1).norm(dim=1)[:, None, None] + EPSILON)


def large():
    """Seconds of the processor, not of the clock; each the difference of a longer and a shorter run."""

    def per_step(function, few, many):
        times = []
        for steps in (few, many):
            start = time.process_time()
            function(steps=steps)
            times.append(time.process_time() - start)
        return (times[1] - times[0]) / (many - few)

    for d, count in ((64, 8), (384, 2)):
        problems = draw(gaussian, range(count), 64, 128, d)
        for kind in ("W", "KQ"):
            one_by_one(problems[:1], kind, False, 1)  # what torch does once
            one = per_step(partial(one_by_one, problems[:1], kind, False), 1, 6)
            batch = per_step(partial(batch_in_torch, problems, kind), 1, 6) / count
            for rule in (published(0.1), exact(0.1)):
                ours = per_step(partial(train, problems, LinearHead, kind, rule, every=10**6), 1, 21) / count
                name = "exact" if rule.rescaled else "published"
                print(
                    f"n=64 T=128 d={d} {kind} {name}: {1 / ours:.0f} instance-steps per second; "
                    f"official loop {one / ours:.1f} times slower, torch on the batch {batch / ours:.1f} times",
                    flush=True,
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throughput", action="store_true", help="measure how time and memory grow with the batch")
    parser.add_argument("--large", action="store_true", help="measure instances whose matrix products dominate")
    parser.add_argument("--rules", action="store_true", help="measure every rule of descent against Frobenius steps")
    parser.add_argument("--decompositions", action="store_true", help="measure three ways to the polar factor")
    asked = parser.parse_args()
    chosen = [function for function in (large, throughput, rules, decompositions) if getattr(asked, function.__name__)]
    (chosen or [ratios])[0]()
