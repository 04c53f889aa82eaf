"""The SVM of each head, for the tokens that it selects, and all heads of an instance as one block problem."""

from attnsvm.analysis.selection import selected_tokens
from attnsvm.svm.composed import as_one
from attnsvm.svm.constraints import separation
from attnsvm.svm.solution import as_arrays
from attnsvm.svm.solver import solve_batch


def svm(problems, trained, settings):
    return {name: _solved(problems, selected_tokens(run["probabilities"])) for name, run in trained.items()}


def _solved(problems, selected):
    """`block`: one answer per instance, the matrix of all heads; `heads`: by head, "0" first, an answer each."""
    batch = [
        [separation(tokens, queries, own) for own in of_all]
        for tokens, queries, of_all in zip(problems.tokens, problems.queries, selected, strict=True)
    ]
    own = [solve_batch([parts[h] for parts in batch]) for h in range(selected.shape[1])]
    block = [as_one(parts, list(answers)) for parts, answers in zip(batch, zip(*own, strict=True), strict=True)]
    return {"block": as_arrays(block), "heads": {str(h): as_arrays(answers) for h, answers in enumerate(own)}}
