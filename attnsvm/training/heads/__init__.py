"""Prediction heads h of f(X, z) = h(Xᵀ softmax(X W z)), one file each; import a head from its file."""
