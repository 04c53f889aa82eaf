"""Where gradient descent takes W z_i, trained as W and as (K, Q), against the max-margin directions."""

from attnsvm.experiments.planar import Planar
from attnsvm.draws import trajectories


class Trajectories(Planar):
    draw_one = staticmethod(trajectories)


EXPERIMENT = Trajectories
