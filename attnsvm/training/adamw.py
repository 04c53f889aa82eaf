"""AdamW (Loshchilov and Hutter, arXiv 1711.05101) for many runs at once, each with a separate weight decay."""

import torch

BETAS, EPSILON = (0.9, 0.999), 1e-8  # the defaults of torch.optim.AdamW


class AdamW:
    """One update of the parameters of R runs, in place; the runs do not interact.

    Args:
        parameters: by name, (R, ...) each.
        rate: the learning rate η.
        decay: by name, (R,) or a number, the decay λ: a parameter loses the share η·λ of itself in every update. Names
            that are missing do not decay.
    """

    def __init__(self, parameters: dict[str, torch.Tensor], rate: float, decay: dict[str, torch.Tensor | float]):
        self.parameters, self.rate, self.steps = parameters, rate, 0
        self.kept = {}
        for name, value in parameters.items():
            share = rate * torch.as_tensor(decay.get(name, 0.0), dtype=value.dtype).expand(len(value))
            self.kept[name] = 1 - share.reshape(-1, *[1] * (value.dim() - 1))
        self.moments = {name: (torch.zeros_like(x), torch.zeros_like(x)) for name, x in parameters.items()}

    @torch.no_grad()
    def step(self, gradients: dict[str, torch.Tensor]) -> None:
        """Update by the gradients, by name; shapes as those of the parameters."""
        self.steps += 1
        first, second = (1 - beta**self.steps for beta in BETAS)
        for name, value in self.parameters.items():
            mean, square = self.moments[name]
            mean.lerp_(gradients[name], 1 - BETAS[0])
            square.mul_(BETAS[1]).addcmul_(gradients[name], gradients[name], value=1 - BETAS[1])
            size = (square.sqrt() / second**0.5).add_(EPSILON)
            value.mul_(self.kept[name]).addcdiv_(mean, size, value=-self.rate / first)
