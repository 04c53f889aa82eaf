"""Train two layers from random weights."""

from attnsvm.experiments.beyond.layers.mixtures_decide.descent import descent as descent
