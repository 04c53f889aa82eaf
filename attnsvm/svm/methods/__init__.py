"""The methods that find an answer: one file and one frozen class of options for each, the reason at every number.

`choice` names the methods, says which one takes a problem, and runs it. Answers are pairs (W, multipliers),
not yet judged.
"""
