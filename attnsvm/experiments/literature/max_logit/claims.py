"""How fast the largest logit grows: from the certified margin of the rule's norm and the spread of its solution."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="beyond")
RULES = ("normalised", "signs", "Muon", "Muon and signs", "Adam, β2 = .95", "Muon on (K, Q)")
end = number(step=LAST, missing="{quantity} of {run}")
slope = end(quantity="slope", text="measured over predicted slope")
slow, long = end(run="Adam, β2 = .999", quantity="over signs"), slope(run="long steps on (K, Q)")

CLAIMS.declare(
    "max_logit",
    (
        slope(run=RULES).must("slope, off one ≤ 0.02", "some runs still move", "{run}: {value:.4f}", around=1.0),
        end(run=RULES, quantity="margin").must("margin, off one ≤ 0.01", "as above", "margins too", around=1.0),
    ),
    end(run=RULES, quantity="error").below(
        end(run=RULES, quantity="constant"), "the median slope as a guess for every instance errs more"
    ),
    end(run=RULES, quantity="share near").must(
        "share near ≥ 0.75", "solutions of some norms are not unique", "{run}: {value:.2f} are within 5 %"
    ),
    end(run="below the edge", quantity="share near").must(
        "share below the edge ≥ 0.85", "nearly all, beyond doubt", "within 5 % below .9 of the edge: {value:.2f}"
    ),
    short="the SVM predicts how fast logits grow",
    statement="With steps of length η below an edge, the largest logit grows, in the median, by η times certified "
    "margin times spread per step. So do normalised descent, signs and Muon, and Adam with β2 = .95.",
)
CLAIMS.declare(
    "max_logit_breaks",
    (
        long.must("long steps ≤ 0.8", "a fifth is lost", "long steps on K and Q: {value:.2f} of the slope"),
        slow.must("β2 = .999 ≤ 0.05", "its memory holds it", "Adam, β2 = .999: {value:.3f} of the slope of signs"),
    ),
    slope(run="Muon on (K, Q)").above(long, "short steps on K and Q reach more"),
    end(run="beyond the edge", quantity="share near").must(
        "share beyond the edge ≤ 0.15", "nearly none, beyond doubt", "within 5 % beyond 1.1 of the edge: {value:.2f}"
    ),
    short="long steps and long memories are slower",
    statement="Steps beyond an edge reach less: 2γ/λmax for normalised descent, γ the margin at norm one, λmax of the "
    "covariance under the multipliers. Muon on K and Q with long steps and Adam with β2 = .999 stay behind, too.",
)
