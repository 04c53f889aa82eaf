"""How the logits of a head depend on distance: one file for each way, with the features that it lifts a token to."""
