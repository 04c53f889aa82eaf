"""Compiled arithmetic on LANES instances at a time: what the loops, the rules and the norms are made of."""

LANES = 32
