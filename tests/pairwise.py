"""Cases of several choices in which every two go together once, instead of all with all."""

from itertools import combinations, product


def pairwise(*axes):
    """Tuples with one value of each axis, in a list: every pair of values of two axes occurs. The same every time."""
    every = list(product(*axes))
    pairs = {case: {*combinations(enumerate(case), 2)} for case in every}
    todo, found = set().union(*pairs.values()), []
    while todo:
        found.append(max(every, key=lambda case: len(pairs[case] & todo)))
        todo -= pairs[found[-1]]
    return found
