"""Speed of the tape, as ratios against the compiled stacks and against autograd in torch, in the same run.

    python benchmarks/tape.py          two layers, n=4 T=6 d=16, 64 instances
    python benchmarks/tape.py --whole  10,000 steps of the same on the tape, by the clock

Single-threaded: set OMP_NUM_THREADS=1.
"""

import argparse
import statistics
import time

import numpy as np
import torch

from attnsvm.data.architecture import Stack
from attnsvm.data.draws import draw, gaussian
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.optimisers.steepest import steepest
from attnsvm.training.stack.descent import train_stack
from attnsvm.training.stack.start import initial
from attnsvm.training.tape.attention import scores, softmax
from attnsvm.training.tape.data import inputs_of
from attnsvm.training.tape.descent import descend
from attnsvm.training.tape.losses import logistic

torch.set_num_threads(1)

STACK = Stack(layers=2, normalisation="separate")
INSTANCES, SHAPE, RATE = 64, (4, 6, 16), 0.1
RULES = {"gradient descent": exact(RATE), "spectral": steepest("spectral", RATE)}


def model(weights, at):
    x = at["tokens"]
    x = x + softmax(scores(x, weights["below"], x)) @ x
    p = softmax(scores(x, weights["top"], at["queries"]))
    return logistic(at["labels"], p @ x @ at["head"])


def on_the_tape(problems, start, rule, steps):
    weights = {"below": start[:, 0, 0], "top": start[:, 1, 0]}
    log = descend(model, weights, inputs_of(problems), rule, steps, steps)
    return np.stack([log.weights["below"][:, -1], log.weights["top"][:, -1]], 1)


def compiled(problems, start, rule, steps):
    return train_stack(problems, STACK, LinearHead, rule, steps, steps, (start,)).weights[:, -1, :, 0]


def autograd(problems, start, rule, steps):
    """The batch in torch, each gradient divided by its norm: right until the softmax saturates."""
    tokens, queries, labels, head = (
        torch.from_numpy(x) for x in (problems.tokens, problems.queries, problems.labels, problems.head)
    )
    below, top = (torch.from_numpy(start[:, layer, 0].copy()).requires_grad_() for layer in (0, 1))
    for _ in range(steps):
        x = tokens + torch.softmax(tokens @ below[:, None].mT @ tokens.mT, -1) @ tokens
        p = torch.softmax((x @ (top[:, None] @ queries[..., None]))[..., 0], -1)
        output = ((p[..., None, :] @ x)[:, :, 0] @ head[..., None])[..., 0]
        loss = torch.nn.functional.softplus(-labels * output).mean(1).sum()
        gradients = torch.autograd.grad(loss, (below, top))
        with torch.no_grad():
            for W, G in zip((below, top), gradients, strict=True):
                W -= RATE * G / G.norm(dim=(1, 2), keepdim=True)
    return np.stack([W.detach().numpy() for W in (below, top)], 1)


def milliseconds(train, problems, start, rule, steps):
    began = time.perf_counter()
    train(problems, start, rule, steps)
    return (time.perf_counter() - began) / steps * 1e3


def ratios():
    problems = draw(gaussian, range(INSTANCES), *SHAPE)
    (start,) = initial(STACK, problems.seeds, SHAPE[-1])
    for name, rule in RULES.items():
        ways = {"tape": on_the_tape, "compiled": compiled} | ({"autograd": autograd} if name != "spectral" else {})
        ends = {way: train(problems, start, rule, 20) for way, train in ways.items()}  # compiles too
        times = {way: [] for way in ways}
        for _ in range(5):  # in turns, so that a busy machine slows all of them
            for way, train in ways.items():
                times[way].append(milliseconds(train, problems, start, rule, 2000 if way == "compiled" else 200))
        middle = {way: statistics.median(found) for way, found in times.items()}
        print(f"{name}, a step of {INSTANCES} instances: tape {middle['tape']:.2f} ms")
        for way in list(ways)[1:]:
            apart = np.abs(ends[way] - ends["tape"]).max()
            ratio = middle["tape"] / middle[way]
            print(f"    {ratio:.2f} times {way}; after 20 steps the weights differ by {apart:.0e}")


def whole():
    problems = draw(gaussian, range(INSTANCES), *SHAPE)
    (start,) = initial(STACK, problems.seeds, SHAPE[-1])
    for name, rule in RULES.items():
        on_the_tape(problems, start, rule, 2)
        taken = milliseconds(on_the_tape, problems, start, rule, 10_000) * 10
        print(f"{name}: {INSTANCES} instances, 10,000 steps in {taken:.0f} s")


def main():
    parser = argparse.ArgumentParser(description="Speed of the tape against compiled stacks and autograd.")
    parser.add_argument("--whole", action="store_true", help="10,000 steps on the tape, by the clock")
    whole() if parser.parse_args().whole else ratios()


if __name__ == "__main__":
    main()
