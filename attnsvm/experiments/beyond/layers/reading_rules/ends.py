"""The rows of the trained layers, as in `layers`."""

from attnsvm.experiments.beyond.layers.ends import rows_at as rows_at
