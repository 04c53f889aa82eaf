"""The manuscript: numbers looked up in what was computed, sources checked, both typeset into PDF and HTML."""
