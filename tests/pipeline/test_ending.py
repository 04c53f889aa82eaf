"""The last line of a run, of what Snakemake says and of what was written."""

import logging
import threading

from attnsvm.pipeline import ending

CONE = [f"figures/cone.{kind}" for kind in ("csv", "json", "pdf", "png", "svg")]
WRITTEN = {
    "": [],
    "written: figures/cone.png, .pdf, .csv (3 more)": [*CONE, "results/cone/cells.csv"],
    "written: results/cone/seeds-0-3/svm.npz": ["results/cone/seeds-0-3/svm.npz"],
    "written: c.html, .csv, site, b.png (1 more)": ["site", "b.png", "c.html", "c.csv", "d.png"],
}


def test_what_was_written_is_named_by_what_people_open():
    assert [ending.written(files) for files in WRITTEN.values()] == [*WRITTEN]


def test_an_interruption_is_one_sentence_and_a_lock_says_what_to_type():
    heard, stops, logger = [], f"{ending.STOPS[0]} ...", logging.Logger("snakemake")
    logger.addFilter(ending.Ending())
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())
    logger.addHandler(handler)
    logger.error("Error: Directory cannot be locked. Please make sure ...")
    logger.error("Error in rule a: its own")
    threading.Timer(0.2, logger.info, [stops]).start()
    logger.error("Command 'x' returned non-zero exit status 130.")  # the job hears of the signal first
    logger.error("Error in rule b")
    logger.info("a hint")
    logger.error(f"WorkflowError:\n{ending.FAILED} ...")
    assert heard == [ending.UNLOCK, "Error in rule a: its own", stops, "a hint", ending.INTERRUPTED]
