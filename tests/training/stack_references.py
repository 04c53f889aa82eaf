"""Layers and stacks of them from their definition, in any arithmetic: autograd's, the tape's, one with many digits."""

import numpy as np
import torch
from slow_reverse import slow_gradient
from tape_models import Torch


def stack_loss(ops, w, at, stack, h):
    """The mean loss of one instance, or of every instance where the operations are the tape's.

    w: the matrices "W00", or "K00" and "Q00", of layer and head. at: "tokens" (n, T, d), "queries" (n, d), "labels"
    (n,), the weights "head", and the values "V00" (d, d). h: a function of mixtures (n, rows, d) and of "head".
    """
    x, behind = at["tokens"], np.tri(at["tokens"].shape[-2], dtype=bool)
    for layer in range(stack.layers):
        last, mixed = layer == stack.layers - 1, None
        queries = {"cross": at["queries"][:, None], "self": x[:, :1]}.get(stack.attention, x) if last else x
        mask = behind if (stack.attention == "causal" if last else stack.causal) else None
        for head in range(stack.heads):
            place = f"{layer}{head}"
            W = w[f"W{place}"] if f"W{place}" in w else w[f"K{place}"] @ w[f"Q{place}"].T
            one = ops.softmax(ops.scores(x, W, queries), mask) @ x @ at[f"V{place}"]
            mixed = one if mixed is None else mixed + one
        x = x + mixed if stack.residual and not last else mixed
    return ops.logistic(at["labels"][:, None], h(x, at["head"]))


def by_place(name, matrices):
    """Matrices (..., L, H, d, e) as {"name00": (..., d, e)}, of layer and head."""
    return {f"{name}{k}{h}": matrices[..., k, h, :, :] for k, h in np.ndindex(matrices.shape[-4:-2])}


def by_names(factors):
    """W, or K and Q, by name and place."""
    names = "W" if len(factors) == 1 else "KQ"
    return {key: x for name, one in zip(names, factors, strict=True) for key, x in by_place(name, one).items()}


def arrays_of(problems, stack, values=None):
    """What `stack_loss` reads beside the weights, of all instances; None: values that are the identity."""
    shape = len(problems), stack.layers, stack.heads
    eyes = np.broadcast_to(np.eye(problems.tokens.shape[-1]), (*shape, *2 * problems.tokens.shape[-1:]))
    given = {name: getattr(problems, name) for name in ("tokens", "queries", "labels", "head")}
    return given | by_place("V", eyes if values is None else values)


def torch_gradients(problems, stack, factors, h, values=None):
    """Autograd's gradients of W (S, L, H, d, d), or of K and Q, and of the weights of the head; and the losses (S,)."""
    found, at = [], arrays_of(problems, stack, values)
    for s in range(len(problems)):
        own = [torch.tensor(x[s], requires_grad=True) for x in (*factors, problems.head)]
        inputs = {name: torch.tensor(x[s]) for name, x in at.items()}
        loss = stack_loss(Torch, by_names(own[:-1]), inputs | {"head": own[-1]}, stack, h)
        loss.backward()
        found.append([*(x.grad.numpy() for x in own), loss.detach().numpy()])
    *gradients, of_head, losses = (np.stack(x) for x in zip(*found, strict=True))
    return gradients, of_head, losses


def slow_gradients(problems, stack, W, h=lambda x, v: x @ v):
    """∂loss/∂W of the first instance in multiple precision, for W (L, d, d) and one head in each layer: (L, d, d)."""

    def model(ops, w, at):
        return stack_loss(ops, w, at, stack, h)

    at = {name: x[0] for name, x in arrays_of(problems, stack).items()}
    found = slow_gradient(model, by_names([np.asarray(W)[:, None]]), at)
    return np.stack([found[f"W{layer}0"] for layer in range(stack.layers)])
