"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table():
    """Few tokens under both losses, the law of amplification, 1/τ², and the token of largest a + u."""
    rows = []
    for loss in ("logistic", "square"):
        rows += quantities({"tokens": 1.5, "fell": 1.0}, model=f"published, {loss}", start=0.1, at=1.0)
    for model, start in (("square", 0.1), ("square", 0.001), ("layer", 0.1)):
        for size, kept in ((0.25, 9.99), (4.0, 5.0), (8.0, 1.5 if start == 0.1 else 4.0)):
            values = {"tokens": kept, "even": kept / 10.0, "error": 0.01 * size}
            rows += quantities(values, model=model, start=start, at=size)
    for name, slope, share in (("trained", -2.0, 0.4), ("frozen", -1.0, 0.999)):
        values = {"exponent": slope, "constant": 1.8, "sum": 0.97, "value": share}
        rows += quantities(values, model=f"margin, V {name}", start=0.1, at=1e6)
    return spread(rows, share=0.001, instances=100)


FLIPS = {
    "entropy_low": Flip("model == 'published, square' and quantity == 'tokens'", "high", 9.0),
    "entropy_amplified": Flip("model == 'layer' and quantity == 'even' and at == 0.25", "low", 0.3),
    "entropy_pace": Flip("model == 'margin, V frozen' and quantity == 'exponent'", "low", -2.0),
    "entropy_winner": Flip("model == 'margin, V trained' and quantity == 'value'", "high", 0.99),
}
EMPTY = {
    "entropy_low": [Empty("model != 'published, square'", "tokens of published, square")],
    "entropy_amplified": [Empty("model != 'layer'", "tokens of layer"), Empty("at == 8.0", "second value of at")],
    "entropy_pace": [Empty("model != 'margin, V frozen'", "exponent of margin, V frozen")],
    "entropy_winner": [Empty("model != 'margin, V trained'", "sum of margin, V trained")],
}
