"""How every kind of attention lays out its inputs."""

from itertools import product

from attnsvm.data.draws import draw, gaussian
from attnsvm.data.inputs import ATTENTIONS


def test_attentions_lay_out_their_queries():
    p = draw(gaussian, range(5), 2, 3, 4)
    assert (ATTENTIONS["self"](p).queries == p.tokens[:, :, 0]).all()
    inputs = ATTENTIONS["causal"](p)
    assert inputs.tokens.shape == (5, 6, 3, 4)
    for i, k in product(range(2), range(3)):
        assert (inputs.queries[:, 3 * i + k] == p.tokens[:, i, k]).all()
        assert (inputs.tokens[:, 3 * i + k] == p.tokens[:, i]).all()
        assert inputs.allowed[0, 3 * i + k].tolist() == [t <= k for t in range(3)]
