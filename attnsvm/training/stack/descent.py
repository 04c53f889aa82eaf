"""Train stacks of attention layers, a whole batch at once, on the processor.

As `attnsvm.training.train`: an instance's result depends on its seed alone, whatever the batch. The arrays of a group
of LANES instances are laid out here, and the compiled loop of kernels.py trains them.
"""

from collections.abc import Callable

import numpy as np

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import kept_on_disk
from attnsvm.batch.vector import laid, zeros
from attnsvm.data.architecture import Stack
from attnsvm.data.problems import Problems
from attnsvm.training import threads
from attnsvm.training.heads.base import Head, reader, trainable
from attnsvm.training.log import logged_steps
from attnsvm.training.optimisers.calls import mover
from attnsvm.training.optimisers.joint import joint
from attnsvm.training.optimisers.protocol import Rule, check
from attnsvm.training.stack.kernels import Model, Record, descend, room
from attnsvm.training.stack.log import StackLog
from attnsvm.training.stack.start import initial
from attnsvm.training.stack.update import course_of


def train_stack(
    problems: Problems,
    stack: Stack,
    head: Callable[..., Head],
    rule: Rule,
    steps: int,
    every: int | np.ndarray,
    start: tuple[np.ndarray, ...] | None = None,
    values: np.ndarray | None = None,
    head_rate: float = 0.0,
    progress: Callable[[int], None] = lambda done: None,
) -> StackLog:
    """Train every problem for `steps` updates.

    Args:
        problems: the batch, S problems of one shape, without padding.
        stack: the architecture.
        head: builds the prediction head h from its weights.
        rule: one of `attnsvm.training.optimisers`; for K and Q without penalty. Each W, K or Q of a head is a factor.
        steps: number of updates, at least 1.
        every: distance between logged steps, counted back from the last one; or the steps themselves, increasing and
            ending with `steps`.
        start: the initial W (S, L, H, d, d), or K and Q (S, L, H, d, m), as a tuple; None: `Stack.start`.
        values: (S, L, H, d, d) the value matrices V_lh; None: the identity.
        head_rate: learning rate of the head's parameters, which the rule moves as a separate factor; 0: they stay.
        progress: called with the number of instances finished since the last call.

    Raises:
        ValueError: the inputs are padded, the rule has a penalty or does not train the parametrisation, or the head
            cannot be trained.
    """
    if problems.lengths is not None:
        raise ValueError("problems: a stack takes inputs of one length, without padding")
    if rule.penalty and stack.parametrisation == "KQ":
        raise ValueError("rule: a stack of (K, Q) is trained without penalty: take `exact` or `plain`")
    check(rule, stack.parametrisation)
    if stack.normalisation == "joint" and rule.divides and not rule.along_gradient:
        rule = joint(rule)
    logged = logged_steps(steps, every) if np.ndim(every) == 0 else np.asarray(every)
    start = initial(stack, problems.seeds, problems.tokens.shape[-1]) if start is None else start
    pieces = []
    for first in range(0, max(len(problems), 1), LANES * threads.allowed()):
        size = min(LANES * threads.allowed(), len(problems) - first)
        places = [np.minimum(np.arange(first + k, first + k + LANES), first + size - 1) for k in range(0, size, LANES)]
        one = (problems, stack, head, rule, logged, start, values, head_rate)
        done = threads.each(lambda index, one=one: _group(index, *one), places)
        pieces.append(StackLog.joined(done)[:size])
        progress(size)
    return StackLog.joined(pieces)


def _group(index, problems, stack, head, rule, logged, start, values, head_rate) -> StackLog:
    """Train the LANES instances at `index`."""
    part = problems[index]
    _, n, T, d = part.tokens.shape
    L, H, R, K = stack.layers, stack.heads, stack.rows(T), len(logged)
    built = head(part.head)
    if head_rate and not trainable(built):
        raise ValueError(f"head_rate: a {type(built).__name__} cannot be trained along; take 0")
    reading = reader(built, LANES)
    reading = reading._replace(parameters=np.array(reading.parameters, order="C"))  # the loop may move them
    below, top = (np.where(mask, 0.0, -1e300) for mask in stack.masks(T))
    model = Model(
        tokens=_last(part.tokens),
        queries=_last(part.queries),
        labels=_last(part.labels),
        values=zeros((0, H, d, d, LANES)) if values is None else _last(values[index]),
        below=below,
        top=top,
        embedding=zeros((0, 0, LANES)) if built.embedding is None else _last(built.embedding),
        factors=_last(np.stack([factor[index] for factor in start], axis=3)),
        residual=stack.residual,
        cross=stack.attention == "cross",
        joint=stack.normalisation == "joint",
    )
    record = Record(
        kept=np.array(logged, dtype=np.int64),
        weights=zeros((K, L, H, d, d, LANES)),
        head=zeros((K, len(reading.parameters) if head_rate else 0, LANES)),
        largest=zeros((K, L, LANES)),
        loss=zeros((K, LANES)),
        norms=zeros((K, LANES)),
    )
    rules = mover(rule), mover(rule.with_rate(head_rate))
    at = room(model, record.head.shape[1])
    kept, plain = (rules[0].matrices, rules[0].rows), rules[0].along_gradient
    factors, rows = (model.factors[:0], (0, 0)) if plain else (model.factors, (n * T, n * R))
    course = course_of(kept, factors, rows, at.head, at.head_factor)
    kept_on_disk(descend)(model, reading, *rules, at, course, record)
    end = at.p[:-1], at.p[-1, :, :, :R], at.tokens, at.output[:, :R]
    return StackLog(logged, *(np.ascontiguousarray(np.moveaxis(x, -1, 0)) for x in (*record[1:], *end)))


def _last(array: np.ndarray) -> np.ndarray:
    return laid(np.moveaxis(array, 0, -1))
