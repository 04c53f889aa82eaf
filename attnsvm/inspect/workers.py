"""Processes that compute for this one, and that end with it, however it ends.

Two pipes join each of them to this process, and nothing else: neither a semaphore, which a container without /dev/shm
does not have, nor a file. One whose pipe ends, ends at once, in the middle of what it computes.
"""

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread, local
from typing import BinaryIO

from attnsvm.system import interpreter
from attnsvm.system.errors import UserError

PROGRAM = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from attnsvm.inspect.workers import serve
serve()
"""


@contextmanager
def workers(count: int, environment: dict[str, str] | None = None) -> Iterator[Callable[..., Future]]:
    """A function that hands a call, function and arguments, to one of `count` processes; they start when needed.

    A result raises what the call raised, or a UserError where its process was ended from outside.

    Args:
        environment: variables of theirs, beside those of this process.
    """
    started: list[subprocess.Popen] = []
    mine = local()

    def call(function: Callable, *given: object) -> object:
        if not hasattr(mine, "process"):
            mine.process = _start(environment or {})
            started.append(mine.process)
        return _answer(mine.process, function, given)

    with ThreadPoolExecutor(count) as pool:  # a thread waits for each process
        try:
            yield lambda function, *given: pool.submit(call, function, *given)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in started:
                process.kill()


def _start(environment: dict[str, str]) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=interpreter.environment() | environment,
        process_group=0,  # Ctrl-C is for the one that the user started
    )
    assert process.stdin is not None
    pickle.dump(sys.path, process.stdin)
    return process


def _answer(process: subprocess.Popen, function: Callable, given: tuple) -> object:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        pickle.dump((function, given), process.stdin, pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
        done, value = pickle.load(process.stdout)
    except (EOFError, OSError, pickle.UnpicklingError) as error:
        sentence = f"a process that measured heads was ended from outside (status {process.wait()})"
        raise UserError(f"{sentence}, as systems do where memory is short; take fewer --jobs") from error
    if not done:
        raise value
    return value


def serve() -> None:
    """What such a process does: it computes what stdin asks for until that ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    asked: SimpleQueue = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    while True:
        function, given = asked.get()
        try:
            answer = True, function(*given)
        except Exception as error:
            error.add_note(traceback.format_exc())
            answer = False, error
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _listen(given: BinaryIO, asked: SimpleQueue) -> None:
    try:
        while True:
            asked.put(pickle.load(given))
    finally:
        os._exit(0)
