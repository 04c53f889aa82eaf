"""Train W from zero and keep it on the way."""

from attnsvm.experiments.real.generalisation.descent import descent as descent
