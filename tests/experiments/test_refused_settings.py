"""Settings with which an experiment cannot end: one sentence that says which, and what to change."""

import pytest
import test_multi_token
import test_norm_growth
import test_saturated_sets
from running import Run

from attnsvm.system.errors import UserError

CASES = [
    (
        "multi_token",
        {"problems": {"d": [4, 6], "candidates": [60]}},
        r"multi_token\.problems\.d: 2 values, but .*candidates has 1: give one for each",
    ),
    ("positional", {"problems": {"d": 1}}, r"positional\.problems\.d: 1 is too small, the least value is 2"),
    ("cone", {"problems": {"n": 7, "T": 4}}, r"cone\.problems: T to the power of n exceeds 4096"),
    (
        "regularisation_path",
        {"descent": {"smallest": 2000}},
        r"regularisation_path\.descent\.smallest: 2000 is not below .*largest, which is 1000",
    ),
    ("token_count", {"problems": {"shapes": [[3, 2], [4, 2]], "d": [4]}}, "only T may vary, give one n and one d"),
    ("token_count", {"problems": {"shapes": [[3, 2], [3, 5]], "d": [4, 6]}}, "only T may vary, give one n and one d"),
    (
        "multi_token",
        test_multi_token.SMALL | {"measures": {"accepted": 50}},
        r"only \d+ of 60 seeds were accepted at d = 4, 50 are wanted: raise .*candidates",
    ),
    # Two steps decide no softmax: the SVM stage has nothing to solve, and no instance can be measured.
    (
        "multi_token",
        test_multi_token.SMALL | {"descent": {"steps": 2, "log_every": 1}},
        r"multi_token: no instance could be measured \(\d+ no token left out",
    ),
    (
        "saturated_sets",
        test_saturated_sets.SMALL | {"measures": {"accepted": 50}},
        r"saturated_sets: only \d+ seeds were accepted at some d: raise",
    ),
    (
        "norm_growth",
        test_norm_growth.SMALL | {"measures": {"instances": 12}},
        r"norm_growth: only \d+ instances meet \w+, 12 are wanted: raise experiments",
    ),
]


@pytest.mark.parametrize(("name", "given", "sentence"), CASES)
def test_settings_that_lead_nowhere_end_with_a_sentence(name, given, sentence, tmp_path):
    with pytest.raises(UserError, match=sentence):
        Run(name, given, tmp_path)
