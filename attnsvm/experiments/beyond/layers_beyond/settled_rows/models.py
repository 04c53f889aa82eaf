"""What is drawn for the stacks and not trained, as in `layers_beyond`."""

from attnsvm.experiments.beyond.layers_beyond.models import fixed as fixed
