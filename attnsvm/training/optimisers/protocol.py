"""The protocol of a rule of descent: its methods, how compiled code calls them, and their defaults.

A rule sees the gradient of each factor of the weights (W, or K, or Q) as a `Slope`, whose terms are never added up
beyond what floats can hold. So the rule is exact at any ‖W‖, however far the gradient is below the smallest float. One
step of a model:

    empty(pool)
    for every factor:   direct, collect
    rate_at
    for every factor:   settle, apply
    for every (K, Q):   balance

A rule is a class of two bases: a NamedTuple of its numbers, `learning_rate` first, and `Alone`; or, with the rule that
it wraps as `inner` first, and `Wrapper`. Its methods are compiled, and reach other rules through the functions of the
same names below; the loops are compiled once for all rules, and call the methods as calls.py says. Every array ends in
LANES, and overlaps no other one (`batch.arithmetic.Apart`):

direct(slope, memory, step)           writes memory.direction, in the unit exp(memory.unit)
collect(memory, pool)                 adds to the sums over all factors
settle(memory, pool)                  may change the direction by these sums
rate_at(step, squares, out)           out (LANES): the learning rate, for weights whose squares add up to `squares`
apply(weights, memory, rate, step)    moves a factor
balance(K, Q)                         after the step, without moving K Qᵀ

A method that a class lacks comes from `Alone`, or from the inner rule. So do the answers of `Rule`.
"""

from typing import Any

from attnsvm.batch.arithmetic import method_of_class, subtract
from attnsvm.batch.vector import each, load, store

# How compiled code calls the methods of a rule.
METHODS = ("direct", "collect", "settle", "rate_at", "apply", "balance")
direct, collect, settle, rate_at, apply, balance = map(method_of_class, METHODS)


class Rule:
    """The properties that Python asks of a rule, and their defaults."""

    matrices: Any = 0  # how many matrices and rows it keeps of a factor, see `Memory.kept` and `Memory.kept_rows`
    rows: Any = 0
    along_gradient = False  # whether it has `scale`, and so runs in every engine: see gradient_descent.py

    @property
    def penalty(self) -> float:
        """Multiple of ‖K‖² + ‖Q‖² in the loss."""
        return 0.0

    @property
    def parametrisations(self) -> tuple[str, ...]:
        """What it can move: "W", "KQ"."""
        return "W", "KQ"

    @property
    def follows_rotations(self) -> bool:
        """Whether the rule turns with the factors and reads no norm of the factors.

        Then descent may be followed in the coordinates of spans.py.
        """
        return False

    @property
    def divides(self) -> bool:
        """Whether the Frobenius norm of the gradient divides the step: then `joint` has a meaning."""
        return False

    @property
    def reads_terms(self) -> bool:
        """Whether it reads the gradient's terms one by one, and not only their sum."""
        return False

    def with_rate(self: Any, learning_rate: float) -> Any:
        """The same rule with another learning rate."""
        return self._replace(learning_rate=float(learning_rate))


class Alone(Rule):
    """A rule that wraps no other rule, with the default methods."""

    def collect(self, memory, pool):
        pass

    def settle(self, memory, pool):
        pass

    def rate_at(self: Any, step, squares, out):
        store(out, each(self.learning_rate))

    def apply(self, weights, memory, rate, step):
        subtract(weights, load(rate), memory.direction)

    def balance(self, K, Q):
        pass


class Wrapper(Rule):
    """A rule around an inner rule, whose methods and answers are the defaults."""

    inner: Any
    penalty = property(lambda self: self.inner.penalty)
    parametrisations = property(lambda self: self.inner.parametrisations)
    follows_rotations = property(lambda self: self.inner.follows_rotations)
    divides = property(lambda self: self.inner.divides)
    reads_terms = property(lambda self: self.inner.reads_terms)
    matrices = property(lambda self: self.inner.matrices)
    rows = property(lambda self: self.inner.rows)

    def with_rate(self: Any, learning_rate: float) -> Any:
        return self._replace(inner=self.inner.with_rate(learning_rate))

    def direct(self, slope, memory, step):
        direct(self.inner, slope, memory, step)

    def collect(self, memory, pool):
        collect(self.inner, memory, pool)

    def settle(self, memory, pool):
        settle(self.inner, memory, pool)

    def rate_at(self, step, squares, out):
        rate_at(self.inner, step, squares, out)

    def apply(self, weights, memory, rate, step):
        apply(self.inner, weights, memory, rate, step)

    def balance(self, K, Q):
        balance(self.inner, K, Q)


def check(rule: Rule, parametrisation: str) -> None:
    """Raise a ValueError if the rule does not train `parametrisation`."""
    if parametrisation not in rule.parametrisations:
        known = ", ".join(map(repr, rule.parametrisations))
        raise ValueError(f"rule: expected {known} for {type(rule).__name__}, got {parametrisation!r}")
    if parametrisation == "KQ" and rule.penalty and not rule.along_gradient:
        raise ValueError("rule: expected no penalty on (K, Q) in a rule that is wrapped: take `exact` or `plain`")
