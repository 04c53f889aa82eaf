"""The problems of both layers for what the rows end at.

first   every row composes its winner, a mixture the token that lies inside the margin above; m = 0 of level tokens
inside  the same, but a mixture with β = 0 composes what it keeps
stated  a winner in every row, that of the larger probability
weak    as `inside`, for the layer below, with m ≥ 0 in place of m = 0 in rows that saturate
"""

from attnsvm.experiments.beyond.layers.row_ends.ends import TWO, inside, stated, unmixed, with_ties
from attnsvm.experiments.beyond.layers.svm import every_layer, with_multipliers
from attnsvm.svm.instances import answers
from attnsvm.svm.law import constraints_below


def svm(problems, trained, settings):
    ends = inside(problems, trained)
    first = every_layer(problems, TWO, ends)
    ends = with_ties(problems, trained, ends, first["2"]["W"])
    return {
        "first": first,
        "inside": with_multipliers(problems, TWO, ends),
        "stated": every_layer(problems, TWO, stated(problems, trained, TWO)),
        "weak": {"1": answers(constraints_below(TWO, unmixed(ends), 1))},
    }
