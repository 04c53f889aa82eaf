"""AdamW for many runs at once, against torch's own, run by run."""

import pytest
import torch

from attnsvm.training.adamw import AdamW


def slopes(parameters, target):
    leaves = {name: value.detach().requires_grad_() for name, value in parameters.items()}
    loss = ((leaves["a"] @ leaves["b"].unsqueeze(-1)).squeeze(-1) - target).square().sum()
    return dict(zip(leaves, torch.autograd.grad(loss, list(leaves.values())), strict=True))


@pytest.mark.parametrize("decays", [(0.0, 0.0), (0.0, 2.5), (0.3, 0.01)])
def test_every_run_does_what_torch_does_with_its_decay(decays):
    generator = torch.Generator().manual_seed(3)
    start = {
        "a": torch.randn(2, 4, 3, generator=generator).double(),
        "b": torch.randn(2, 3, generator=generator).double(),
    }
    target = torch.randn(2, 4, generator=generator).double()
    ours = {name: value.clone() for name, value in start.items()}
    adamw = AdamW(ours, 0.03, {"a": torch.tensor(decays, dtype=torch.float64)})
    theirs = [{name: value[run : run + 1].clone() for name, value in start.items()} for run in range(2)]
    groups = [
        torch.optim.AdamW(
            [{"params": [own["a"]], "weight_decay": decay}, {"params": [own["b"]], "weight_decay": 0.0}], lr=0.03
        )
        for own, decay in zip(theirs, decays, strict=True)
    ]
    for _ in range(50):
        adamw.step(slopes(ours, target))
        for run, (own, group) in enumerate(zip(theirs, groups, strict=True)):
            found = slopes(own, target[run : run + 1])
            for name, value in own.items():
                value.grad = found[name]
            group.step()
    for run, own in enumerate(theirs):
        for name in start:
            torch.testing.assert_close(ours[name][run], own[name][0], rtol=1e-11, atol=1e-12)
    assert not torch.equal(ours["a"], start["a"])
