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
        "share near ≥ 0.75", "solutions of some norms are not unique", "{run}: {value:.2f} are within 5 %", whole=False
    ),
    end(run="below the edge", quantity="share near").must(
        "share below the edge ≥ 0.85", "nearly all, beyond doubt", "within 5 % below .9 of the edge: {value:.2f}"
    ),
    short="the SVM predicts how fast logits grow",
    statement="With steps of length η below an edge the largest logit grows, in the median, by η times the certified "
    "margin at norm one times the spread per step: normalised descent, signs, Muon and Muon with signs in their norms, "
    "Adam with β2 = .95 at its own pace; under Muon on K and Q its root grows by η times the root of both.",
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
    statement="Steps beyond an edge reach less, since their directions cancel: 2γ/λmax for normalised descent on W, γ "
    "the certified margin at norm one and λmax the largest eigenvalue of the covariance of the constraints under the "
    "multipliers; and Muon on K and Q with ten times as long steps. Adam with β2 = .999 grows the largest logit at most"
    " a twentieth as fast as signs with the same rate.",
)
