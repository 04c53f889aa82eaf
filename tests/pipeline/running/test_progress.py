"""Bars where a person watches, lines in the log, nothing when asked for quiet."""

import os
import pty
import subprocess
import sys
import termios

from harness import ROOT

from attnsvm.pipeline.running import reporting

PROGRAM = """
import sys, time
from attnsvm.pipeline.running import reporting
if "quiet" in sys.argv:
    reporting.hide_bars()
with reporting.Progress(4, "cone descent") as done:
    for _ in range(4):
        time.sleep(0.3)
        done(1)
"""


def on_a_terminal(*arguments, **variables):
    """What the program writes to a terminal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], stderr=theirs, env={**os.environ, **variables}, cwd=ROOT
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # how a terminal says that its other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    assert process.wait() == 0
    return text.decode()


def test_a_terminal_gets_a_bar_with_rate_and_time_left():
    shown = on_a_terminal()
    assert "cone descent" in shown
    assert "/4 [" in shown
    assert "<00:" in shown  # time left


def test_quiet_means_quiet():
    assert on_a_terminal("quiet") == ""
    assert on_a_terminal(ATTNSVM_QUIET="1") == ""


def test_a_log_gets_lines_and_what_was_expected_may_change(caplog, monkeypatch):
    """A stage says how many trainings there are once it knows."""
    monkeypatch.setattr(reporting, "LINE_EVERY", 0.0)
    with caplog.at_level("INFO"), reporting.Progress(2, "cone descent") as done:
        done(1)
        done.expect(6)
        done(2)
    assert "cone descent: 1 of 2," in caplog.text
    assert "cone descent: 3 of 6," in caplog.text
    assert "s left" in caplog.text
