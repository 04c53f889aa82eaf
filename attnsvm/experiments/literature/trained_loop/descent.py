"""Train A and V of the looped layer on few loops and new contexts, and loop the trained layer on."""

import numpy as np

from attnsvm.experiments.literature.looped.descent import looped
from attnsvm.training.rules.adam import adam
from attnsvm.training.start import draw_initial, normal
from attnsvm.training.tape.attention import scores, softmax
from attnsvm.training.tape.descent import descend
from attnsvm.training.tape.losses import logistic

STREAM = 60609  # keeps the contexts of training apart from what else is drawn
START = 0.1  # standard deviation of the weights
BETAS = 0.9, 0.99


def descent(problems, settings, progress):
    d, models, n = problems.tokens.shape[-1], settings["models"], problems.labels.shape[1]

    def model(weights, inputs):
        tokens, w = inputs["tokens"], inputs["start"]
        for _ in range(settings["loops"]):
            w = w + softmax(scores(tokens, weights["A"], w)) @ tokens @ weights["V"]
        return logistic(inputs["ones"], (w * inputs["new"]) @ inputs["sum"])

    def inputs(step, places):
        count = settings["contexts"]
        random = np.random.default_rng([STREAM, step])
        examples = random.normal(size=(models, count, n + 1, d))
        examples /= np.linalg.norm(examples, axis=-1, keepdims=True)
        examples *= np.sign(examples @ random.normal(size=(models, count, d, 1)))
        given = {"tokens": examples[:, :, :n], "new": examples[:, :, n:], "start": np.zeros((models, count, 1, d))}
        given |= {"ones": np.ones((models, count, 1, 1)), "sum": np.ones((models, d, 1))}
        return {name: array[places] for name, array in given.items()}

    drawn = draw_initial("looped", np.arange(models), normal((2, d, d)))
    start = {"A": START * drawn[:, 0], "V": START * drawn[:, 1]}
    steps, rule = settings["steps"], adam(settings["learning_rate"], *BETAS, 0.0)
    progress.expect(len(problems))
    log = descend(model, start, inputs, rule, steps, every=steps)
    trained = {name: log.weights[name][:, -1] for name in start}
    depths = 2 ** np.arange(int(np.log2(settings["depth"])) + 1)
    runs = {}
    for name, weights in {"trained": trained, "untrained": start}.items():
        A, V = (weights[key][problems.seeds % models] for key in ("A", "V"))
        runs[name] = {"A": A, "w": looped(problems.tokens[:, :, 0], A, V, depths)}
    progress(len(problems))
    return {"depths": depths, "runs": runs}
