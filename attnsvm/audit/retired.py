"""Claims that are asked no more: what each said, its last verdict, and the commit that has its code last.

    from attnsvm.audit import retired

    retired.claims().query("verdict == 'fails'")[["key", "statement", "words"]]

retired.csv has a row for each, written by hand when its code goes, so that no failure goes with it. No count of the
audit has these rows.
"""

from pathlib import Path

import pandas as pd

from attnsvm.audit.evaluation import VERDICTS as ASKED

KEPT = Path(__file__).with_name("retired.csv")
NUMBERS = ("value", "low", "high")
COLUMNS = ("key", "experiment", "statement", "verdict", *NUMBERS, "instances", "words", "commit")
UNDECIDED = "undecided"  # an interval lies across the limit
VERDICTS = (*ASKED, UNDECIDED)


def claims() -> pd.DataFrame:
    """The rows of retired.csv, by experiment.

    Its columns: "value", "low" and "high" are those of the last audit, NaN where there is none, over so many
    "instances", 0 where nobody counted; "verdict" is the last one, or a corrected one, which "words" then say: what an
    auditor found that neither statement nor verdict tells.
    """
    kept = pd.read_csv(KEPT, keep_default_na=False, na_values=dict.fromkeys((*NUMBERS, "instances"), ""))
    return kept.astype(dict.fromkeys(NUMBERS, float)).fillna({"instances": 0}).astype({"instances": int, "commit": str})
