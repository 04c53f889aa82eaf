"""Memory that grows: a job that is tried again was perhaps killed for it, and gets twice as much, then three times."""

from collections.abc import Callable, Iterable


def growing(mb: int | Callable) -> Callable:
    """`mem_mb` of a rule: so many megabytes at the first try, or what a function says of the wildcards."""
    return lambda wildcards, attempt: attempt * (mb(wildcards) if callable(mb) else mb)


def let_grow(rules: Iterable) -> None:
    """Let grow, too, what --set-resources or a profile gives as a plain number; called when all rules are known.

    Args:
        rules: Snakemake's.
    """
    for rule in rules:
        memory = rule.resources.get("mem_mb")
        if memory is not None and not memory.is_evaluable() and isinstance(memory.value, int):
            rule.resources["mem_mb"] = growing(memory.value)
