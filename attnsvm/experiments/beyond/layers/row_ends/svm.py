"""The problems of both layers for what the rows end at.

inside  every row composes its winner, a mixture the token that lies inside the margin above; m = 0 of level tokens
stated  a winner in every row, that of the larger probability
weak    as `inside`, for the layer below, with m ≥ 0 in place of m = 0 in rows that saturate
"""

from attnsvm.experiments.beyond.layers.ends import stated
from attnsvm.experiments.beyond.layers.row_ends.ends import TWO, inside, unmixed
from attnsvm.experiments.beyond.layers.svm import every_layer, with_multipliers
from attnsvm.svm.instances import answers
from attnsvm.svm.law import constraints_below


def svm(problems, trained, settings):
    ends = inside(problems, trained)
    return {
        "inside": with_multipliers(problems, TWO, ends),
        "stated": every_layer(problems, TWO, stated(problems, trained, TWO)),
        "weak": {"1": answers(constraints_below(TWO, unmixed(ends), 1))},
    }
