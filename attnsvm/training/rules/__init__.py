"""Rules of descent, one file each, and what wraps any of them: schedule, momentum, joint, balanced.

    momentum(schedule(steepest("spectral", 0.1), "root"), 0.9)

What a rule is, protocol.py says; a new one is one file. Nothing is imported here: who uses one rule does not depend on
the others.
"""
