"""Texts that follow from the cards and from what was built: captions and docs/*.md."""
