"""The same inputs with half as many tokens, as `attention_variants` makes them."""

from attnsvm.experiments.summaries.attention_variants.merging import PLAIN as PLAIN
from attnsvm.experiments.summaries.attention_variants.merging import SHORTER as SHORTER
from attnsvm.experiments.summaries.attention_variants.merging import shortened as shortened
