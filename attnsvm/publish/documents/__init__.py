"""Texts that follow from the cards and from what was built: captions, docs/*.md, the pages of the report."""
