"""Rules of descent, one file each, and wrappers for any rule: schedule, joint, balanced.

    balanced(schedule(steepest("spectral", 0.1), "root"))

protocol.py says what a rule is; a new rule is one file. Nothing is imported here, so that code with one rule does not
depend on the other rules.
"""
