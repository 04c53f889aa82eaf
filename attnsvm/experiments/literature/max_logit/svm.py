"""The max-margin solution of what each rule selects, in its norm; where two select the same, solved once."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.experiments.literature.max_logit.runs import EDGE, RUNS
from attnsvm.svm.instances import certified_once
from attnsvm.svm.methods.choice import CONIC

KEPT = ("W", "dual")  # of an answer, in addition to its proof


def svm(problems, trained, settings):
    runs = RUNS | EDGE
    selected = {name: selected_tokens(trained[name]["probabilities"]) for name in runs}
    by_norm = {
        run.norm: {name: selected[name] for name in runs if runs[name].norm == run.norm} for run in runs.values()
    }
    conic = dict.fromkeys(("spectral", "hybrid"), CONIC)  # of several solutions the one that the claims were asked of
    return {norm: certified_once(problems, chosen, [norm], conic.get(norm)) for norm, chosen in by_norm.items()}
