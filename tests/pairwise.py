"""Cases of several choices in which every two go together once, instead of all with all."""

from itertools import combinations, product


def pairwise(*axes):
    """Tuples with one value of each axis: every pair of values of two axes occurs. The same every time."""
    every = list(product(*axes))
    pairs = {case: {*combinations(enumerate(case), 2)} for case in every}
    todo = set().union(*pairs.values())
    while todo:
        case = max(every, key=lambda case: len(pairs[case] & todo))
        todo -= pairs[case]
        yield case
