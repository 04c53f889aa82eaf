"""Plain gradient descent, whose steps vanish with the gradient: does W diverge, or settle at a finite point?

all_support    every token is a support vector of the optimal tokens' solution, and
equal_scores   in every input, all tokens but the best have one score: no finite stationary point, says the theory
neither        separable, and neither holds: nothing is promised
contradicting  every input comes with both labels: nothing separates the optimal tokens
"""

import numpy as np
import pandas as pd

from attnsvm import draws as generators
from attnsvm.experiments.base import Cell, Experiment, Measures, certified, outcomes

CONDITIONS = {
    "all_support": generators.gaussian,
    "equal_scores": generators.equal_scores,
    "neither": generators.gaussian,
    "contradicting": generators.contradicting,
}


class NormGrowth(Experiment):
    def cells(self):
        shape = self.config["problems"]
        seeds = tuple(range(shape["first_seed"], shape["first_seed"] + shape["candidates"]))
        return [Cell(shape["n"], shape["T"], shape["d"], seeds, condition) for condition in CONDITIONS]

    def problems(self, cell):
        return cell.draw(CONDITIONS[cell.variant])

    def descent(self, problems, progress):
        from attnsvm.training.descent import train
        from attnsvm.training.heads import LinearHead
        from attnsvm.training.steps import plain

        settings = self.config["descent"]
        kept = np.unique(np.geomspace(1, settings["steps"], settings["points"]).round().astype(int))
        rule = plain(settings["learning_rate"])
        log = train(problems, LinearHead, "W", rule, settings["steps"], kept, progress=progress)
        return {"steps": kept, "weights": log.weights, "gradient_norm": log.gradient_norm, "loss": log.loss}

    def svm(self, problems, descent):
        from attnsvm.selection import by_token, margins, optimal_tokens, support

        optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
        answers = certified(problems, optimal, "fro")
        margin = margins(problems.tokens, problems.queries, answers["W"], optimal)
        tight = support(margin, by_token(answers["dual"], optimal, margin.shape[2]), optimal)
        others = np.arange(margin.shape[2]) != optimal[..., None]
        return answers | {"all_support": (tight == others).all((1, 2)) & (answers["status"] == "solved")}

    def measures(self, cell, problems, descent, svm):
        from attnsvm.directions import correlation

        status, all_support = svm["status"], svm["all_support"]
        solved = status == "solved"
        meets = {
            "all_support": all_support,
            "equal_scores": solved,
            "neither": solved & ~all_support,
            "contradicting": status == "infeasible",
        }[cell.variant]
        frame = pd.DataFrame(
            {
                "condition": cell.variant,
                "seed": np.repeat(problems.seeds, len(descent["steps"])),
                "step": np.tile(descent["steps"], len(problems)),
                "norm": np.linalg.norm(descent["weights"], axis=(-2, -1)).ravel(),
                "gradient_norm": descent["gradient_norm"].ravel(),
                "correlation": correlation(descent["weights"], svm["W"][:, None]).ravel(),
            }
        )
        end = np.where(meets, f"{cell.variant} drawn", f"{cell.variant} not met ")
        end = np.where(meets, end, np.char.add(end, np.where(solved & all_support, "all_support", status)))
        return Measures(frame[np.repeat(meets, len(descent["steps"]))], outcomes(cell, problems.seeds, end))

    def table(self, measures):
        """The first instances of each condition, in seed order."""
        frame, wanted = measures.instances, self.config["measures"]["instances"]
        rank = frame.groupby("condition")["seed"].transform(lambda seeds: pd.factorize(seeds, sort=True)[0])
        kept = frame[rank < wanted]
        short = kept.groupby("condition").seed.nunique().reindex(list(CONDITIONS), fill_value=0)
        if (short < wanted).any():
            from attnsvm.errors import UserError

            raise UserError(
                f"norm_growth: only {short.min()} instances meet {short.idxmin()}, {wanted} are wanted: raise "
                "experiments.norm_growth.problems.candidates in the configuration"
            )
        return kept[["condition", "step", "norm", "gradient_norm", "correlation", "seed"]]


EXPERIMENT = NormGrowth
