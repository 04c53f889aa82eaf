"""Faults that somebody could write, one line each, and the tests that notice them.

    python tests/faults.py                 every fault, with the files of tests that are named for it
    python tests/faults.py tape damage     those whose name has one of these words
    python tests/faults.py --of svm tape   with all of tests/svm instead

A fault is put into a copy of the repository, its tests run there, and the fault is taken out again. The tests must pass
without a fault. The exit status is 1 where a fault is not noticed. tests/project/test_seeded_faults.py tests that each
fault can still be put where it belongs.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = (".git", ".venv*", "results", "smoke", "site", ".snakemake", "*.pyc", ".pytest_cache", ".mypy_cache")


class Fault(NamedTuple):
    """One line that is wrong.

    Attributes:
        name: where it is, and what it does.
        old, new: what stands there, once in all of the product, and what stands there instead.
        tests: the names of the files of tests that notice, quickest first.
    """

    name: str
    old: str
    new: str
    tests: tuple[str, ...]


FAULTS = (
    # ---- what solves ----
    Fault(
        "solver: a violated constraint does not enter the active set",
        "if slack[worst] >= -8 * EPSILON * np.linalg.norm(w):",
        "if slack[worst] >= -0.1:",
        ("test_svm_properties.py", "test_svm.py"),
    ),
    Fault(
        "solver: inequalities forget what the equalities give",
        "missing = b[~equality] - inner @ particular",
        "missing = b[~equality]",
        ("test_constraints.py", "test_svm.py", "test_svm_properties.py"),
    ),
    Fault(
        "solver: the two ends of the rank change places",
        "for factor in (1.0, 10.0, 0.1))",
        "for factor in (1.0, 0.1, 10.0))",
        ("test_certificate.py", "test_svm.py"),
    ),
    Fault(
        "solver: an answer that the checker refuses is called solved",
        "answer = replace(claim, **unproved) if reason else claim",
        "answer = claim",
        ("test_certificate.py", "test_checker.py", "test_svm.py"),
    ),
    Fault(
        "solver: W is left where its smallest margin is not one",
        "W = W / reached if 0 < reached < np.inf else W",
        "W = W",
        ("test_svm.py", "test_estimator.py"),
    ),
    # ---- what checks ----
    Fault(
        "checker: half a margin is enough",
        "MARGIN * np.abs(bound)\n",
        "0.5 * np.abs(bound)\n",
        ("test_checker.py",),
    ),
    Fault(
        "checker: multipliers of dual norm two are feasible",
        "if dual_size > 1 + MARGIN:",
        "if dual_size > 2 + MARGIN:",
        ("test_checker.py",),
    ),
    Fault(
        "checker: any duality gap below one is small",
        "if excess > (tol + rounding) * value:",
        "if excess > (1.0 + rounding) * value:",
        ("test_checker.py",),
    ),
    Fault(
        "checker: negative multipliers on inequalities pass",
        "(dual[~equality] < 0).any():",
        "(dual[equality] < 0).any():",
        ("test_checker.py",),
    ),
    Fault(
        "checker: a Farkas combination need not vanish",
        "RESIDUAL = 1e-10  # of a Farkas certificate",
        "RESIDUAL = 1e10",
        ("test_checker.py",),
    ),
    Fault(
        "checker: a Farkas certificate may promise nothing",
        "if not bound @ dual > 0:",
        "if bound @ dual == np.inf:",
        ("test_checker.py",),
    ),
    Fault(
        "checker: nobody counts the rank",
        "if claim.rank != (sigma",
        "if claim.rank < 0 * (sigma",
        ("test_checker.py",),
    ),
    # ---- what trains: compiled loops, lanes, geometry ----
    Fault(
        "lanes: the winner's share has the sign of the others",
        "shares[t, lane] = -total[lane] if winner[lane] == t",
        "shares[t, lane] = total[lane] if winner[lane] == t",
        ("test_lane_softmax.py",),
    ),
    Fault(
        "lanes: the mean of the slopes is their sum",
        "mean[lane] += p[t, lane] * slope[t, lane]",
        "mean[lane] += slope[t, lane]",
        ("test_lane_softmax.py",),
    ),
    Fault(
        "lanes: of an odd number of terms the last is left out",
        "for i in range(whole, n):",
        "for i in range(n, n):",
        ("test_steepest_lanes.py", "test_rules.py"),
    ),
    Fault(
        "kernels: the loss is logged without its share of the inputs",
        "record.largest[slot, lane] += top / n",
        "record.largest[slot, lane] += top",
        ("test_compiled.py", "test_kernels.py", "test_descent.py"),
    ),
    Fault(
        "kernels: the labels are forgotten in the slope of the loss",
        "weight[lane] *= -labels[i, lane] / (n *",
        "weight[lane] *= -1.0 / (n *",
        ("test_compiled.py", "test_kernels.py", "test_descent.py"),
    ),
    Fault(
        "geometry: the steepest direction of lp takes p for its conjugate",
        "q = p / (p - 1.0)\n        lanes.slopes",
        "q = p\n        lanes.slopes",
        ("test_steepest_lanes.py",),
    ),
    Fault(
        "geometry: the largest row's dual is a maximum",
        "def dual(self, M):\n        return np.linalg.norm(M, axis=-1).sum(-1)",
        "def dual(self, M):\n        return np.linalg.norm(M, axis=-1).max(-1)",
        ("test_norms.py",),
    ),
    Fault(
        "rules: the second moment of Adam fades as the first",
        "two[lane] = beta2 * fade * fade",
        "two[lane] = beta2 * fade",
        ("test_rules.py", "test_steps.py"),
    ),
    Fault(
        "log: the last step is not logged",
        "np.arange(steps % every, steps + 1, every)",
        "np.arange(0, steps, every)",
        ("test_log.py",),
    ),
    # ---- what differentiates: the tape ----
    Fault(
        "tape: of two uses of a value the last counts",
        "arrived[parent.order].append(pull(adjoint))",
        "arrived[parent.order] = [pull(adjoint)]",
        ("test_tape_operations.py", "test_tape_structure.py"),
    ),
    Fault(
        "tape: a temperature divides the logits and not their slope",
        "return through_softmax(at, g, 1.0 / temperature)",
        "return through_softmax(at, g, 1.0)",
        ("test_tape_operations.py",),
    ),
    Fault(
        "tape: the sum that a log-softmax takes away is added",
        "Scaled(-shares * rows.m.sum(-1, keepdims=True)",
        "Scaled(shares * rows.m.sum(-1, keepdims=True)",
        ("test_tape_operations.py", "test_tape_saturation.py"),
    ),
    Fault(
        "tape: to divide is to multiply",
        "return scale(self, 1.0 / other)",
        "return scale(self, other)",
        ("test_tape_operations.py",),
    ),
    Fault(
        "tape: a zero in a large row hides what is small",
        "return bool(far.any() and",
        "return bool(False and far.any() and",
        ("test_tape_saturation.py", "test_tape_terms.py", "test_tape_rows.py", "test_tape_operations.py"),
    ),
    # ---- what names the code ----
    Fault(
        "hashes: what stands in a file counts for nothing",
        'total.update(f"{file}\\0{_source(file).digest}\\n".encode())',
        'total.update(f"{file}\\n".encode())',
        ("test_dependencies.py", "test_edits_table.py"),
    ),
    Fault(
        "hashes: a norm that an experiment names is not behind it",
        "todo = (needed | _chosen(seen)) - seen",
        "todo = needed - seen",
        ("test_dependencies.py", "test_edits_table.py"),
    ),
    Fault(
        "hashes: templates of pages count for nothing",
        "for file in texts:",
        "for file in ():",
        ("test_dependencies.py", "test_edits_table.py"),
    ),
    Fault(
        "hashes: a job may run what its hash does not cover",
        'unseen = sorted({*found} - {"", *module_files(*modules)} if found else ())',
        "unseen = []",
        ("test_covered.py",),
    ),
    Fault(
        "hashes: the earlier stages' code is no part of a stage's history",
        "asked.append((stage, one, stage_code(name, stage)))",
        "asked.append((stage, one))",
        ("test_jobs.py",),
    ),
    # ---- damage ----
    Fault(
        "damage: every file is taken for whole",
        "return sidecar.read_bytes() == line(path, Path(path).name).encode()",
        "return len(sidecar.read_bytes()) > 0",
        ("test_checksums.py", "test_store.py"),
    ),
    Fault(
        "damage: a file is read whatever its checksum says",
        "if not checksums.holds(path):",
        "if checksums is None:",
        ("test_store.py",),
    ),
    Fault(
        "damage: a disk's read error is no damage",
        "except OSError:  # a disk's read error\n        return True",
        "except OSError:\n        return False",
        ("test_checksums.py", "test_store.py"),
    ),
    Fault(
        "damage: what is damaged is named and not built anew",
        "workflow.dag.forcefiles.update(found)",
        "found = list(found)",
        ("test_internals.py",),
    ),
    Fault(
        "damage: nobody sees that a file is being written",
        "with _in_use(temporary):",
        "with suppress():",
        ("test_store.py",),
    ),
    # ---- what is resumed and kept ----
    Fault(
        "resume: the records do not travel with the results",
        "shutil.copytree(RECORDS, TRAVELLING, dirs_exist_ok=True)",
        "pass",
        ("test_internals.py",),
    ),
    Fault(
        "resume: what killed processes left behind stays",
        'for left in path.parent.glob(f".{path.name}.*.tmp"):',
        "for left in ():",
        ("test_store.py",),
    ),
    Fault(
        "resume: more seeds are another block",
        'if stage != "problems" or key not in COUNTED}',
        'if stage != "problems" or key}',
        ("test_jobs.py", "test_blocks.py", "test_more_seeds.py"),
    ),
    Fault(
        "answers: a stage may drop what the checker has judged",
        "if judged != found:",
        "if judged < found:",
        ("test_answers.py", "test_stages.py"),
    ),
    Fault(
        "answers: of all blocks the least gap is said to be the largest",
        'dict.fromkeys(COLUMNS[-2:], "max")',
        'dict.fromkeys(COLUMNS[-2:], "min")',
        ("test_answers.py", "test_gathering.py", "test_stages.py"),
    ),
    Fault(
        "blocks: a small cell is cut as the largest is",
        "share = _shares(length * size, largest)",
        "share = length",
        ("test_blocks.py",),
    ),
    Fault(
        "gathering: rows come in the order of the blocks",
        'if key in (*SHAPE, "seed") and "seed" in names] + [PLACE]',
        "if key in SHAPE] + [PLACE]",
        ("test_gathering.py", "test_stages.py"),
    ),
    Fault(
        "gathering: the first seed of a cell is its last block's",
        '"first_seed": "min"',
        '"first_seed": "max"',
        ("test_gathering.py", "test_stages.py"),
    ),
    # ---- what users write ----
    Fault(
        "cards: a value outside its own bounds is taken",
        "wrong = first_error(setting[scale], schema)",
        'wrong = ""',
        ("test_cards.py",),
    ),
    Fault(
        "cards: a figure may draw an experiment that is not there",
        'require(other in names(), f"{where}: draws: there is no experiment',
        'require(True, f"{where}: draws: there is no experiment',
        ("test_cards.py",),
    ),
    Fault(
        "configuration: the smoke run has the paper's numbers",
        'setting.get("smoke", setting["value"]) if scale == "smoke"',
        'setting["value"] if scale == "smoke"',
        ("test_configuration.py",),
    ),
    Fault(
        "configuration: settings need not fit together",
        "require(first < second,",
        "require(True,",
        ("test_configuration.py", "test_cards.py"),
    ),
    Fault(
        "configuration: true is an integer",
        "isinstance(value, int) and not isinstance(value, bool),",
        "isinstance(value, int),",
        ("test_typed_values.py", "test_configuration.py"),
    ),
    # ---- what is said in the end ----
    Fault(
        "claims: a claim holds where one of its conditions does",
        "return HOLDS if all(met) else IN_PART if any(met) else FAILS",
        "return HOLDS if any(met) else FAILS",
        ("test_reading.py",),
    ),
    Fault(
        "claims: a value that no row has leaves an empty table",
        "if chosen.empty:",
        "if chosen is None:",
        ("test_reading.py", "test_rows.py"),
    ),
    Fault(
        "claims: of the cone, any share that stays will do",
        '}": farthest["share"] >= least,',
        '}": farthest["share"] >= 0,',
        ("test_claims.py"),
    ),
    Fault(
        "provenance: an uncommitted edit is not seen",
        '"dirty": bool(changed) if commit else None,',
        '"dirty": False if commit else None,',
        ("test_provenance.py",),
    ),
    Fault(
        "provenance: the files of the code are not read",
        'hashlib.sha256((folder / name).read_bytes()).hexdigest()}\\n".encode())',
        'hashlib.sha256(name.encode()).hexdigest()}\\n".encode())',
        ("test_provenance.py",),
    ),
    Fault(
        "cluster profile: one that is there is written over",
        'require(not target.exists(), f"{target} is there already',
        'require(True, f"{target} is there already',
        ("test_makespan.py"),
    ),
)


def places(fault, root=ROOT):
    """The files of the product in which the old text stands, as often as it does."""
    files = (path for top in ("attnsvm", "workflow") for path in sorted((root / top).rglob("*")))
    texts = ((path, path.read_text("utf-8")) for path in files if path.suffix in (".py", ".smk"))
    return [path for path, text in texts for _ in range(text.count(fault.old))]


def files_of(fault, root=ROOT):
    """The files of tests that are there of those that are named."""
    return [path for name in fault.tests for path in sorted((root / "tests").rglob(name))]


def failed(tests, root):
    """The first test that fails, of a file or folder of the copy in `root`; "" where all pass."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", str(tests)]
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if run.returncode not in (0, 1, 2):  # 2: a file could not be imported
        raise RuntimeError(f"pytest {tests} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    lines = reversed(run.stdout.splitlines())
    return next(line for line in lines if line.startswith(("FAILED", "ERROR"))) if run.returncode else ""


def noticed(fault, root, asked):
    """The first test that fails with the fault in place; "" where none does."""
    (path,) = places(fault, root)
    before = path.read_text("utf-8")
    path.write_text(before.replace(fault.old, fault.new), "utf-8")
    try:
        return next(filter(None, (failed(tests, root) for tests in asked)), "")
    finally:
        path.write_text(before, "utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only faults whose name has one of these words")
    parser.add_argument("--of", metavar="FOLDER", help="run all of tests/FOLDER instead of the files that are named")
    given = parser.parse_args(arguments)
    chosen = [fault for fault in FAULTS if not given.words or any(word in fault.name for word in given.words)]
    if not chosen:
        parser.error(f"no fault has one of these words in its name: {', '.join(given.words)}")
    missed = 0
    with tempfile.TemporaryDirectory(prefix="attnsvm-faults-") as folder:
        root = Path(folder) / "attnsvm"
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        sound = set()
        for fault in chosen:
            asked = [root / "tests" / given.of] if given.of else files_of(fault, root)
            for tests in {*asked} - sound:
                if already := failed(tests, root):
                    sys.exit(f"without a fault: {already}")
            sound.update(asked)
            began = time.monotonic()
            found = noticed(fault, root, asked)
            missed += not found
            sys.stdout.write(f"{'caught' if found else 'MISSED'} {time.monotonic() - began:5.0f} s  {fault.name}")
            sys.stdout.write(f"\n               {found}\n" if found else "\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - missed} of {len(chosen)} are noticed\n")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
