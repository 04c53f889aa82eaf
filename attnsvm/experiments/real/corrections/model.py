"""The model of reactions, as `known_answers` reads it."""

from attnsvm.experiments.real.known_answers.model import heads as heads
from attnsvm.experiments.real.known_answers.model import model as model
from attnsvm.experiments.real.known_answers.model import states as states
