"""Where rules with decoupled weight decay end: on the ball of their norm, and with vanishing decay at its SVM."""

from attnsvm.audit.conditions import FIRST, LEAST, MOST, number
from attnsvm.audit.evaluation import Claims, Reading
from attnsvm.audit.numbers import Limit, each, exact, largest, smallest

RULES = ("l1", "fro", "linf", "spectral", "nuc")
ON_BALL = (*RULES, "fro, smaller steps")
least = number(decay=FIRST, missing="{quantity} of {run}")
CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    short="decay: a ball of radius 1/λ",
    statement="Steepest descent with decoupled weight decay λ ends at a KKT point of the loss on its norm's ball of "
    "radius 1/λ. Suggested by arXiv:2404.04454 and 2506.15054, of which abstracts and first pages were read.",
    measured="largest deviation of an end of the median radius from 1/λ, relative, at the least λ",
    range=("seeds", "half_step"),
    limit=Limit(0.01, "each ≤ {}", "what the start leaves after ten times 1/(ηλ) steps is less"),
    gap=Limit(0.05, "conditions unmet, each ≤ {}", "steps of finite length go to and fro between supports"),
    coupled=Limit(0.5, "radius with λW in the gradient, times λ ≤ {}", "else every decay had this radius"),
)
def decay_radius(tables, limit, gap, coupled):
    """How far the radius of every run is from 1/λ, and its conditions from being met; and the coupled control."""

    def of(runs, quantity):
        return [(one.row["run"], one.number) for one in least(run=runs, quantity=quantity).read(tables.own())]

    sizes, gaps, ((_, control),) = of(ON_BALL, "radius"), of(ON_BALL, "gap"), of("linf, coupled", "radius")
    parts = {f"{run}: radius {size.value:.4f}/λ": limit(size.off(1.0)) for run, size in sizes}
    parts |= {f"{run}: conditions unmet by {one.value:.2g}": gap(one) for run, one in gaps}
    not_so = {f"with λW in the gradient: radius {control.value:.2g}/λ": coupled(control)}
    return Reading(*largest(exact(size.off(1.0), size.instances) for _, size in sizes), parts, not_so)


CLAIMS.declare(
    "decay_adamw",
    least(run="AdamW", quantity="gap", text="relative Frank–Wolfe gap of that ball").must(
        "≤ 0.05", "as for steepest descent", "conditions unmet by {value:.2g}"
    ),
    least(run="AdamW", quantity="radius").must(
        "norm of W times λ ≥ 0.95", "a twentieth inside is a gap of that size", "radius {value:.3f}/λ"
    ),
    short="AdamW: the max norm's ball",
    statement="AdamW with β2 = .95 is, after 60/(ηλ) steps, at a KKT point of the loss on the max norm's ball of "
    "radius 1/λ. A longer memory takes longer. Suggested by arXiv:2404.04454, where convergence "
    "is assumed.",
)


@CLAIMS.add(
    short="vanishing decay: the norm's SVM",
    statement="As its decoupled weight decay λ vanishes, each rule goes to the direction of the max-margin solution of "
    "its norm.",
    measured="smallest median of the margin ratio in the own norm (best: 1), at the least λ",
    limit=Limit(0.95, "each ≥ {}", "what is missing falls like λ log(1/λ)"),
    missing=Limit(0.5, "missing, over that with the largest λ ≤ {}", "a limit would leave all of it"),
    ahead=Limit(0.9, "share of instances with the own norm ahead ≥ {}", "one in ten may be on its way"),
    unsharpened="What is missing falls about in proportion to λ, as the figure shows: where the best margin is small, "
    "as in ℓ1, the limit needs a smaller λ.",
)
def decay_svm(tables, limit, missing, ahead):
    """The margin ratio in the own norm with the least decay, and what is still missing of that with the largest."""
    table, found, further = tables.own(), {}, {}
    for run in RULES:
        own, leads = (least(run=run, quantity=quantity) for quantity in ("ratio", "ahead"))
        ratio, before = (own(decay=place).estimate(table) for place in (LEAST, MOST))
        left = missing((1.0 - ratio.value) / (1.0 - before.value))
        further[f"{run}: half of what was missing is gone"] = left
        share = leads.estimate(table)
        further[f"{run}: ahead in its norm in {share.value:.2f} of the instances"] = ahead(share)
        found[run] = ratio
    return Reading(*smallest(found), each(found, "{}: {.value:.3f}", limit), further)
