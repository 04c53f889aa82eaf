"""Other distributions of tokens, one a file: `redrawn(problems)` draws the tokens of any problems anew.

Queries, labels and head stay as they were drawn, unless the file says otherwise. WORDS is what a sentence calls the
tokens. An experiment is tried with each of them by `snakemake elsewhere/NAME`.
"""
