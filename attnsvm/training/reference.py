"""The descent loop in torch: on any device, and what the compiled loop is tested against."""

import numpy as np
import torch

from attnsvm.inputs import Inputs
from attnsvm.training.heads import Head
from attnsvm.training.log import Log
from attnsvm.training.loss import evaluate
from attnsvm.training.steps import Rule
from attnsvm.training.weights import Parametrisation


@torch.inference_mode()
def run(inputs: Inputs, head: Head, values, weights: Parametrisation, rule: Rule, steps: np.ndarray) -> Log:
    """Descend from `weights`, on the device of `values`. See `train`."""
    labels = torch.from_numpy(inputs.labels).to(values.device).T.contiguous()
    barrier = torch.from_numpy(np.where(inputs.allowed, 0.0, -np.inf)).to(values.device).unsqueeze(-1)
    weight_log, largest, loss, norms, slot = [], [], [], [], 0
    for step in range(steps[-1] + 1):
        at = evaluate(weights.logits() + barrier, values, labels, head)
        gradient = at.direction if rule.rescaled else at.logit_gradient
        if step == steps[slot]:
            weight_log.append(weights.weights())
            largest.append(at.probabilities.amax(1).mean(0))
            loss.append(at.loss)
            undo = at.log_factor.exp() if rule.rescaled else 1.0
            norms.append(weights.gradient_norm(gradient) * undo)
            slot += 1
        if step < steps[-1]:
            weights.step(gradient, rule)
    final = at.probabilities.permute(2, 0, 1).contiguous()
    logs = [torch.stack(x, 1) for x in (weight_log, largest, loss, norms)]
    return Log(steps, *(x.cpu().numpy() for x in (*logs, final)))
