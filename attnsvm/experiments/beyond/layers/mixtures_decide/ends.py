"""What the rows of the trained layers go to, as in `layers`."""

from attnsvm.experiments.beyond.layers.ends import corrected as corrected
from attnsvm.experiments.beyond.layers.ends import stated as stated
