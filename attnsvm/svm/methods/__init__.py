"""The methods that find an answer: one file and one frozen class of options for each, the reason at every number.

`choice` names the methods and says which one takes a problem; `by_norm` runs them. Answers are pairs (W, multipliers),
not yet judged.
"""
