"""A tape: models written in NumPy's terms, and gradients that no saturation of a softmax can make vanish."""
