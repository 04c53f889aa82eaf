"""The generalised SVM of the selected sets, in its two parts, and the SVM of the most probable tokens alone."""

from attnsvm.analysis.selection import selected_sets, selected_tokens
from attnsvm.svm.constraints import finite_part
from attnsvm.svm.instances import answers, certified


def svm(problems, trained, settings):
    if len(trained["kept"]) == 0:
        return {}
    problems, probabilities = problems[trained["kept"]], trained["probabilities"]
    solved = generalised(problems, probabilities)
    solved["one_token"] = certified(problems, selected_tokens(probabilities), "fro")
    return solved


def generalised(problems, probabilities) -> dict:
    """The parts of W_SVMeq = W_fin + C·W_mm (`analysis.directions`): "mm" and "fin", stacked answers of S instances.

    Args:
        probabilities: (S, n, T), the trained softmax: it says which tokens are selected, and their logits.
    """
    chosen = selected_sets(probabilities)
    inputs = zip(problems.tokens, problems.queries, chosen, probabilities, strict=True)
    inside = [finite_part(*one) for one in inputs]
    return {"mm": certified(problems, chosen, "fro"), "fin": answers(inside, "fro")}
