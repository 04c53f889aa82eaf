"""Loops side by side: order, errors, and no change without a call."""

import threading

import pytest

from attnsvm.training import threads


@pytest.fixture(autouse=True)
def as_before():
    yield
    threads.allow(1)


def test_one_thread_is_the_caller():
    assert threads.allowed() == 1
    assert threads.each(lambda _: threading.get_ident(), range(3)) == [threading.get_ident()] * 3


def test_items_run_side_by_side_and_come_back_in_order():
    threads.allow(3)
    together = threading.Barrier(3, timeout=30)  # passed only if three are inside at the same time

    def meet(item):
        together.wait()
        return 10 * item

    assert threads.each(meet, iter(range(6))) == [0, 10, 20, 30, 40, 50]


@pytest.mark.parametrize("count", [1, 2])
def test_an_error_in_one_item_is_raised(count):
    threads.allow(count)
    with pytest.raises(ZeroDivisionError):
        threads.each(lambda item: 1 / item, [1, 0])


def test_no_threads_is_an_error():
    with pytest.raises(ValueError, match="threads: expected a number from 1 on, got 0"):
        threads.allow(0)
