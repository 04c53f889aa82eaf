"""Stacks written from their definition: in torch for autograd, and in multiple precision for deep saturation."""

import mpmath as mp
import torch


def torch_losses(X, Z, Y, W, V, head, stack):
    """The mean loss of one instance: X (n, T, d), Z (n, d), Y (n,), W and V (L, H, d, d), `head` a function of (d,)."""
    losses = []
    for i in range(len(X)):
        x = X[i]
        T = len(x)
        for layer in range(stack.layers - 1):
            rows = []
            for q in range(T):
                seen = x[: q + 1] if stack.causal else x
                out = x[q] if stack.residual else torch.zeros_like(x[q])
                for h in range(stack.heads):
                    p = torch.softmax(seen @ W[layer, h] @ x[q], 0)
                    out = out + (p @ seen) @ V[layer, h]
                rows.append(out)
            x = torch.stack(rows)
        queries = {"cross": [Z[i]], "self": [x[0]]}.get(stack.attention, list(x))
        for k, z in enumerate(queries):
            seen = x[: k + 1] if stack.attention == "causal" else x
            parts = [(torch.softmax(seen @ W[-1, h] @ z, 0) @ seen) @ V[-1, h] for h in range(stack.heads)]
            losses.append(torch.nn.functional.softplus(-Y[i] * head(sum(parts))))
    return torch.stack(losses).mean()


def torch_gradients(problems, s, stack, factors):
    """Autograd's gradients of W (L, H, d, d), or of K and Q, and of the vector v, at instance s and `factors` + [v]."""
    *weights, v = (torch.tensor(x, requires_grad=True) for x in factors)
    W = weights[0] if len(weights) == 1 else weights[0] @ weights[1].mT
    X, Z, Y = (torch.from_numpy(x[s]) for x in (problems.tokens, problems.queries, problems.labels))
    V = torch.eye(X.shape[-1], dtype=torch.float64).expand(W.shape)
    torch_losses(X, Z, Y, W, V, lambda x: x @ v, stack).backward()
    return [x.grad.numpy() for x in (*weights, v)]


def mp_loss(X, Z, Y, head, W, residual):
    """The same for one head per layer, cross-attention and identity values, in mpmath numbers."""
    total = mp.mpf(0)
    for i in range(len(X)):
        x = [mp.matrix(list(map(mp.mpf, row))) for row in X[i]]
        for layer in range(len(W)):
            last = layer == len(W) - 1
            queries = [mp.matrix(list(map(mp.mpf, Z[i])))] if last else x
            rows = []
            for z in queries:
                key = W[layer] * z
                logits = [(t.T * key)[0] for t in x]
                top = max(logits)
                e = [mp.exp(a - top) for a in logits]
                out = z if residual and not last else 0 * z
                for a, t in zip(e, x, strict=True):
                    out = out + t * (a / sum(e))
                rows.append(out)
            x = rows
        total += mp.log1p(mp.exp(-Y[i] * head(x[0])))
    return total / len(X)


def mp_gradient(X, Z, Y, head, W, residual, digits):
    """∂loss/∂W as nested lists [layer][a][b], by differences of `digits` // 2 digits: none of our formulas.

    head: a function of a mixture (d,) of mpmath numbers.
    """
    with mp.workdps(digits):
        step = mp.mpf(10) ** (-digits // 2)
        exact = [mp.matrix(w.tolist()) for w in W]
        base = mp_loss(X, Z, Y, head, exact, residual)
        gradient = []
        for layer, matrix in enumerate(exact):
            rows = []
            for a in range(matrix.rows):
                rows.append([])
                for b in range(matrix.cols):
                    kept = matrix[a, b]
                    exact[layer][a, b] = kept + step
                    rows[-1].append((mp_loss(X, Z, Y, head, exact, residual) - base) / step)
                    exact[layer][a, b] = kept
            gradient.append(rows)
        return gradient
