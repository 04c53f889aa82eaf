"""A trained looped model, looped on: what it attends by goes to the separator, what it reads out does not."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
lacks = number(quantity="lacking", missing="depth of {run}")
end, attended = lacks(depth=LAST), lacks(run="trained, attended")

CLAIMS.declare(
    "looped_trained",
    (
        attended(depth=LAST).must("lacking ≤ 0.05", "what is left at that depth", "attended: {value:.2g}"),
        end(run="trained, read out").must("lacking, read out ≥ 0.1", "else both do", "read out: {value:.2g}"),
    ),
    (attended(depth=LAST) / attended(depth=4)).must(
        "over that of 4 loops ≤ 0.2", "else depth is worth little", "{value:.2g} of what 4 loops lack"
    ),
    end(run="untrained, attended").must(
        "lacking, untrained ≥ 0.5", "else no training was needed", "untrained: {value:.2g}"
    ),
    short="trained on 4 loops, deeper loops separate",
    statement="A looped layer trained on four loops comes near the max-margin separator of its context when it is "
    "looped on, by the direction −Aw by which it attends, and not by w, by which it labels.",
    check="share of the best margin lacking after the last loop: medians with 95 % intervals; that over the share "
    "after four loops; control: the weights before training",
    measured="median share of the margin lacking, attended",
)
