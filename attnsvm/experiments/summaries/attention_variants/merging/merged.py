"""The same inputs with half as many tokens, as `attention_variants` makes them."""

from attnsvm.experiments.summaries.attention_variants.merged import PLAIN as PLAIN
from attnsvm.experiments.summaries.attention_variants.merged import SHORTER as SHORTER
from attnsvm.experiments.summaries.attention_variants.merged import shortened as shortened
