"""How many answers the checker has judged in this process, by status."""

from collections import Counter

judged: Counter[str] = Counter()  # {status: answers}; grows only: a caller compares before and after
