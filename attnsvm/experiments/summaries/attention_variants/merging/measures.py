"""The margin on fewer tokens over that on all, and whether the same pair is selected."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import all_solved, gathered, outcomes
from attnsvm.experiments.summaries.attention_variants.merging.merged import PLAIN, SHORTER


@gathered
def measures(cell, problems, trained, solved, settings):
    good = all_solved(solved.values())
    margin = {name: 1 / np.linalg.norm(answer["W"], axis=(1, 2)) for name, answer in solved.items()}
    for name in SHORTER:
        same = (trained[name] == trained[PLAIN] // 2).mean(1)
        values = {"margin": margin[name] / margin[PLAIN], "same": same}
        yield pd.DataFrame({"variant": name, "seed": problems.seeds, **values})[good]
    yield outcomes(cell, problems.seeds, np.where(good, "measured", "without SVM"))
