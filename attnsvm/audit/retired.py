"""Claims that are asked no more: what each said, its last verdict, and the commit that has its code last.

    from attnsvm.audit import retired

    retired.claims().query("verdict == 'fails'")[["key", "statement", "words"]]

retired.csv has a row for each, written by hand when its code goes, so that no failure goes with it. No count of the
audit has these rows. revised.csv has the claims whose limit or statement is younger than the first look at their seeds.
"""

from pathlib import Path

import pandas as pd

KEPT = Path(__file__).with_name("retired.csv")
REVISED = Path(__file__).with_name("revised.csv")
NUMBERS = ("value", "low", "high")
COLUMNS = ("key", "experiment", "statement", "verdict", *NUMBERS, "instances", "words", "commit")


def claims() -> pd.DataFrame:
    """The rows of retired.csv, by experiment.

    Its columns: "value", "low" and "high" are those of the last audit, NaN where there is none, over so many
    "instances", 0 where nobody counted; "verdict" is the last one, or a corrected one, which "words" then say: what an
    auditor found that neither statement nor verdict tells.
    """
    kept = pd.read_csv(KEPT, keep_default_na=False, na_values=dict.fromkeys((*NUMBERS, "instances"), ""))
    return kept.astype(dict.fromkeys(NUMBERS, float)).fillna({"instances": 0}).astype({"instances": int, "commit": str})


def revised() -> pd.DataFrame:
    """The rows of revised.csv: "key" of a claim, and "revised", what changed since its seeds were seen and where."""
    kept = pd.read_csv(REVISED, keep_default_na=False)
    return kept.assign(revised=kept["revised"] + " (" + kept["commit"] + ")")[["key", "revised"]]
