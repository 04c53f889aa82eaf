"""Memory that grows: a job that is tried again was perhaps killed for it, and gets twice as much, then three times."""

from collections.abc import Callable


def growing(mb: int | Callable) -> Callable:
    """`mem_mb` of a rule: so many megabytes at the first try, or what a function says of the wildcards."""
    return lambda wildcards, attempt: attempt * (mb(wildcards) if callable(mb) else mb)
