"""What the rows of the trained layers go to, as in `layers`."""

from attnsvm.experiments.layers.ends import corrected as corrected
from attnsvm.experiments.layers.ends import stated as stated
