"""The max-margin solution of what each rule selects, in its norm; where two select the same, solved once."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.experiments.literature.max_logit.runs import RUNS
from attnsvm.svm.instances import certified_once


def svm(problems, trained, settings):
    selected = {name: selected_tokens(trained[name]["probabilities"]) for name in RUNS}
    by_norm = {
        run.norm: {name: selected[name] for name in RUNS if RUNS[name].norm == run.norm} for run in RUNS.values()
    }
    return {norm: certified_once(problems, chosen, [norm]) for norm, chosen in by_norm.items()}
