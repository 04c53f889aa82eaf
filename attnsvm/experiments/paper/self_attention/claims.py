"""The same with the first token of each input as its query."""

from functools import partial

from attnsvm.audit.evaluation import Claims
from attnsvm.audit.numbers import Limit
from attnsvm.experiments.paper.convergence_types.claims import locally_optimal
from attnsvm.experiments.paper.local_convergence.claims import own_norm

CLAIMS = Claims(group="paper")

CLAIMS.declare(
    "self_own_norm",
    own_norm(experiment="self_local_convergence"),
    short="self-attention: own norm's solution",
    statement="With the first token as query (self-attention), each parametrisation ends nearer to its own norm's "
    "solution than to the other's.",
)

CLAIMS.add(
    key="self_locally_optimal",
    short="self-attention: locally optimal",
    statement="In self-attention too, a run that is not global ends at locally optimal tokens, along their SVM "
    "solution.",
    measured="share of runs that are not global and end locally optimal, the smallest",
    limit=Limit(0.95, "each share ≥ {}", "as for cross-attention"),
    read=partial(locally_optimal, experiment="self_convergence_types"),
)
