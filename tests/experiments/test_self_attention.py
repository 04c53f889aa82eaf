"""The figure of self-attention; the tables that it draws are tested with those of the experiments they are twins of."""

from drawing import assert_drawn, released, together

from attnsvm.experiments.paper.self_attention import figure


def test_what_both_attentions_have_in_common_is_drawn_of_both():
    curves, types = (
        released("local_convergence", "value").assign(low=0.5, high=1.0),
        released("convergence_types", "value"),
    )
    cross_curves, cross_types = curves.assign(value=curves["value"] - 0.01), types.assign(value=types["value"] + 0.01)
    table = together(
        self_local_convergence=curves,
        self_convergence_types=types,
        local_convergence=cross_curves,
        convergence_types=cross_types,
    )
    correlations = [
        rows[rows.quantity.isin(["corr_fro", "corr_nuc"])][["step", "value"]] for rows in (curves, cross_curves)
    ]
    shares = [rows[rows.type.isin(["global", "not_local"])][["d", "value"]] for rows in (types, cross_types)]
    assert_drawn(figure.draw, table, *correlations, *shares)
