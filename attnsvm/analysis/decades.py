"""How near runs come, and whether they still come nearer over the last decade of steps: rows of a figure's table."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from attnsvm.analysis.statistics import mean, median, share


def before(steps: np.ndarray) -> int:
    """Of steps that rise, (L,), the one that is nearest to a tenth of the last, on a logarithmic axis."""
    return steps[np.abs(np.log10(steps * 10 / steps[-1])).argmin()]


def approach(instances: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The measured values of every run, and below them what they are together over the last decade of steps.

    The rows below, for each value of the keys: the median a decade before the last step and at it, and the mean at it,
    each with the 95 % quantile as `tail` and the `largest`; and the share of the instances that are nearer than a
    decade before, as the quantity "nearer". A run of one logged step has the mean alone.

    Args:
        instances: with the columns `keys`, "quantity", "seed", "step" and "value", a distance.
    """
    groups = instances.groupby(keys, sort=False)
    rows = [dict(zip(keys, key, strict=True)) | row for key, group in groups for row in _together(group)]
    whole = pd.concat([instances, pd.DataFrame(rows)], ignore_index=True)
    return whole.astype({"seed": "Int64", "instances": "Int64"})


def _together(group: pd.DataFrame) -> Iterator[dict]:
    wide = group.pivot(index="seed", columns="step", values="value")
    last, earlier = wide.columns[-1], before(wide.columns.to_numpy())
    at = {"quantity": group["quantity"].iloc[0]}
    if earlier != last:
        for step in (earlier, last):
            yield at | {"step": step} | median(wide[step].to_numpy()) | _far(wide[step])
        yield {"quantity": "nearer", "step": last} | share(wide[last] < wide[earlier])
    yield at | {"step": last} | mean(wide[last]) | _far(wide[last])


def _far(values: pd.Series) -> dict[str, float]:
    return {"tail": values.quantile(0.95), "largest": values.max()}
