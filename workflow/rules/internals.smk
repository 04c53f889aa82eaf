"""What is decided when a run begins, and done when it ends: what is built anew, the records, how long it will take.

All that is taken from Snakemake beyond its documentation is listed in attnsvm/pipeline/snakemake_private.py.
"""

from functools import cache

from attnsvm.system.checksums import DIFFERS, damaged, forget_the_gone

FOLDERS = [f"{AT}results", f"{AT}figures"]

AHEAD = set()  # the jobs of this run, of which Snakemake asks for the priority: (rule, experiment or figure, block)


def say(sentence):
    """On the terminal, and not in a file that somebody reads the output into."""
    print(sentence, file=sys.stderr, flush=True)


@cache
def place():
    """Where the files of this run lie, asked when all rules are known: under the prefix of a module, or in a bucket."""
    return str(rules.problems.output[0]).partition("results/{experiment}/")[0]


@cache
def alone():
    """Whether they lie where these rules say: then their records travel with them, and targets can be told apart."""
    return place() == AT


@cache
def decide():
    """Have every file built anew that is not what its job wrote, or of which there is no record: once per run.

    Snakemake asks for the inputs of jobs before it decides which of them run.
    """
    if not MAIN:
        return
    own, least = snakemake_private.records_folder(workflow), snakemake_private.record_format()
    found = damaged([f"{place()}{folder}" for folder in ("results", "figures")])
    if alone():
        or_end(job_records.restore, own, TRAVELLING)
    lacking = [] if IN_BUCKET else job_records.lacking(own, targets.there(place()), least)
    if config["intermediates"] == "drop" and not command_line.dry(sys.argv):
        forget_the_gone(FOLDERS)
    for path in found:
        say(f"{path}: damaged ({DIFFERS}); it is built anew before anything is made from it")
    if lacking:
        others = f" and {len(lacking) - 1} other files" if lacking[1:] else ""
        say(f"{lacking[0]}{others}: there is no record of what made them; they are built anew before they are read")
    snakemake_private.forced(workflow).update(found, lacking)


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


def leave():
    """Put the records of this run beside the results they are about."""
    if alone() and TRAVELLING.parent.is_dir():
        try:
            job_records.pack(snakemake_private.records_folder(workflow), TRAVELLING)
        except OSError as error:
            say(f"{TRAVELLING}: cannot be written ({error.strerror}); .snakemake has all records")
    if config["intermediates"] == "drop":
        forget_the_gone(FOLDERS)


onstart:
    jobs = [(rule, name) for rule, name, _ in AHEAD]
    if config["scale"] == "paper" and not command_line.executors(sys.argv[1:]):
        if sentence := eta.expected_time(jobs, workflow.cores or 1, BESIDE / "profiles/times.json"):
            say(sentence)


onsuccess:
    leave()


onerror:
    leave()
