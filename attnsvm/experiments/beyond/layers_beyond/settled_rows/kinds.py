"""The kinds of `layers_beyond_variants` whose counting rows saturate."""

from attnsvm.experiments.beyond.layers_beyond import kinds
from attnsvm.experiments.beyond.layers_beyond.kinds import seen as seen
from attnsvm.experiments.beyond.layers_beyond.kinds import stack_of as stack_of

KINDS = {name: kinds.KINDS[name] for name in ("two heads", "one-hot tokens", "repeated tokens")}
