"""How figures look: the style, and the panels that several figures share. Neither torch nor cvxpy in sight."""
