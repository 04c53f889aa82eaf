"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip
from attnsvm.experiments.deep_stacks.flips import MISSING
from attnsvm.experiments.deep_stacks.flips import table as table

FLIPS = {"layers_depth_squared": Flip("layer == 2 and rule == 'law' and step == 30000", "value", 0.001)}
EMPTY = {"layers_depth_squared": [Empty("rule != 'law'", MISSING), Empty("rule != 'shuffled'", MISSING)]}
