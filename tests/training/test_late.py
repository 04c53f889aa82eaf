"""The late steps of a run: which are logged, and the run as it is at each of them."""

import numpy as np

from attnsvm.training.late import LATE, late_steps, parted, shaken, to_log


def test_a_run_is_parted_into_its_own_steps_and_the_late_ones():
    kept, ends = [1, 10, 100, 1000], [7, 1000]
    logged = to_log(kept, ends)
    assert logged.tolist() == [*range(8), 10, 100, *range(1001 - LATE, 1001)]
    run = parted(logged, np.stack([logged, -logged])[:, :, None].astype(float), kept, ends)
    assert run["weights"][0, :, 0].tolist() == kept
    assert (run["late"][1, :, :, 0] == -late_steps(ends)).all()
    assert [one["weights"][0].item() for one in shaken(run, 1000)] == late_steps([1000])[0].tolist()
    assert list(shaken(run, 100)) == list(shaken({}, 1000)) == []
