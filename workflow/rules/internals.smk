"""What is decided when a run begins, and done when it ends: what is built anew, and how long it will take.

All that is taken from Snakemake beyond its documentation is listed in attnsvm/pipeline/snakemake_private.py.
"""

import atexit
import logging
import time
from functools import cache

from attnsvm.pipeline import ending
from attnsvm.system import checksums
from attnsvm.system.checksums import DIFFERS, damaged, forget_the_gone

FOLDERS = [f"{AT}results", f"{AT}figures"]

AHEAD = set()  # the jobs of this run, of which Snakemake asks for the priority: (rule, experiment or figure, block)
ASKED = {}  # {file: what its job is to note as made}, of all jobs that Snakemake has thought of
SAID = []  # the file that stood for all without a record
BEGAN = time.time()


def say(sentence):
    """On the terminal, and not in a file that somebody reads the output into."""
    print(sentence, file=sys.stderr, flush=True)


@cache
def place():
    """Where the files of this run lie, asked when all rules are known: under the prefix of a module, or in a bucket."""
    return str(rules.problems.output[0]).partition("results/{experiment}/")[0]


@cache
def alone():
    """Whether they lie where these rules say: then targets can be told apart."""
    return place() == AT


@cache
def look():
    """Name the files that are damaged, and leave no record of Snakemake that is another folder's too: once per run."""
    found = damaged([f"{place()}{folder}" for folder in ("results", "figures")])
    for path in found:
        say(f"{path}: damaged ({DIFFERS}); it is built anew before anything is made from it")
    if not command_line.dry(sys.argv):
        job_records.part()
        if config["intermediates"] == "drop":
            forget_the_gone(FOLDERS)
    return {*found}


def decide(rule, name, wildcards):
    """Have the files of a job built anew that are not what its record says, or whose record is not what is asked for.

    Snakemake asks for the inputs of jobs before it decides which of them run.
    """
    if not MAIN or IN_BUCKET:
        return
    broken, made = look(), made_by(rule, wildcards)[0]
    written = [str(path) for path in expand([*getattr(rules, name).output], **dict(wildcards.items()))]
    ASKED.update(dict.fromkeys(written, made))
    why = or_end(job_records.wrong, written, made, broken, (f"{place()}results/", f"{place()}figures/"))
    snakemake_private.forced(workflow).update(why)
    if job_records.UNKNOWN in why.values() and not SAID:
        SAID.append(next(path for path in why if why[path] == job_records.UNKNOWN))
        say(f"{SAID[0]}: {job_records.UNKNOWN}; it is built anew before it is read, and so is every file like it")


def is_rule(name):
    try:
        return bool(getattr(rules, name))
    except Exception:  # Snakemake's own, with the names of all rules
        return False


def check_what_was_typed():
    """End with one sentence where a target is none, or blocks are asked for of what is no experiment."""
    for word in command_line.asked(sys.argv):
        if not is_rule(word) and (sentence := targets.wrong(word, AT)):
            end(sentence)
    or_end(blocks.check, command_line.values(sys.argv[1:], "--set-scatter"))


def begins(rule):
    """The priority of a rule's jobs: those with the longest way before them begin first."""
    times = eta.known(BESIDE / "profiles/times.json")

    def priority(wildcards):
        experiment, block = (wildcards.get(name, "") for name in ("experiment", "block"))
        AHEAD.add((rule, experiment or wildcards.get("figure", ""), block))
        return eta.priority(times, rule, experiment, len(plan.blocks(experiment)) if block else 1)

    return priority


if MAIN:  # its jobs say in what they write which command it was
    os.environ[provenance.COMMAND] = provenance.as_typed(sys.argv)
    logging.getLogger(ending.LOGGER).addFilter(ending.Ending())


def leave():
    """Tidy up at the end of a run."""
    if config["intermediates"] == "drop":
        forget_the_gone(FOLDERS)


def written():
    """The files that this run has written.

    It fails where jobs were made of code that was edited after they were asked for, as on a cluster.
    """
    for path, made in ASKED.items() if MAIN and not IN_BUCKET else ():
        sidecar = checksums.beside(path)
        if checksums.is_cached(path) and (found := checksums.record(path, made)):
            sidecar.unlink(missing_ok=True)  # of what was here before; a run without the cache reads this one
            checksums.sign(path, found)
        if os.path.exists(path) and sidecar.exists() and sidecar.stat().st_mtime >= BEGAN:
            if (checksums.record(path, made) or {}).get("made") != made:
                end(f"{path}: was made by code that was edited while this run waited; run the same command again")
            yield path


onstart:
    jobs = [(rule, name) for rule, name, _ in AHEAD]
    if config["scale"] == "paper" and not command_line.executors(sys.argv[1:]):
        if sentence := eta.expected_time(jobs, workflow.cores or 1, BESIDE / "profiles/times.json"):
            say(sentence)


onsuccess:
    leave()
    if sentence := ending.written(written()):
        atexit.register(say, sentence)  # the last line, below those of Snakemake


onerror:
    leave()
