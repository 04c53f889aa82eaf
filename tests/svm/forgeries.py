"""The forged answers in forgeries.zip: python tests/svm/forgeries.py makes them anew, to the same bytes.

Each is made from an honest answer, which lies beside it, by one change. `fakes.json` names for each the file, the
honest answer, the kind, the norm, what is false about it, and words of the reason that `attnsvm verify` must give.
Where `false` begins with "true, but", the numbers prove something, and another judge may say so.
"""

import json
import zipfile
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from attnsvm.pipeline.running import arithmetic

if __name__ == "__main__":
    arithmetic.choose("portable")  # before anything loads NumPy: the same bytes on other processors

import numpy as np

from attnsvm import geometry
from attnsvm.svm import certificate, ragged, solve

ARCHIVE = Path(__file__).with_suffix(".zip")
LAST = ("hybrid",)  # so that the files of those before stay as they are
NORMS = (*(name for name in geometry.NAMES if name not in LAST), "l1.75", "l3", *LAST)
INVARIANT = ("fro", "nuc", "spectral")
GAP, VIOLATED, NEAR = "the duality gap is too large", "a constraint is violated", "no matrix near the solution"
NOT_ZERO, PROMISE, MISSING = "is not zero", "promises no positive bound", "(farkas) is missing"
NO_INTEGERS = "is not of integers"
FINITE, SHAPE = "a multiplier is not finite, or negative", "expected W of shape"
fakes = []


def unpacked(into: Path) -> Path:
    """The folder, with all files of the archive in it."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(into)
    return into


def pack(files: Path) -> None:
    """The archive of all files in a folder: in the order of their names, without their dates."""
    with zipfile.ZipFile(ARCHIVE, "w") as archive:
        for path in sorted(files.rglob("*.*")):
            entry = zipfile.ZipInfo(str(path.relative_to(files)))  # of 1980
            entry.compress_type = zipfile.ZIP_STORED if path.suffix == ".npz" else zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())


# ---- problems


def problems() -> None:
    rng = np.random.default_rng(45)
    tokens, queries = rng.normal(size=(4, 4, 3)), rng.normal(size=(4, 3))
    selected = (tokens @ rng.normal(size=(3, 3)) * queries[:, None, :]).sum(-1).argmax(1)
    keep("plain", tokens, queries, selected)
    chosen = np.arange(4) == selected[:, None]
    chosen[0, (selected[0] + 1) % 4] = True
    keep("sets", tokens, queries, chosen)
    keep("swapped", np.stack([tokens[0, ::-1], *tokens[1:]]), queries, selected)
    large = tokens * np.array([1, 1e11, 1, 1])[:, None, None]
    large[2, (selected[2] + 1) % 4] = large[2, selected[2]] + 0.3 * rng.normal(size=3)
    keep("scaled", large, queries, selected)
    keep("conflict", np.repeat(tokens[:1, :3], 2, axis=0), np.repeat(queries[:1], 2, axis=0), np.array([0, 1]))
    near = np.array([[[0.5, 0.5 + 1e-11], [1.0, 0.0], [0.0, 1.0]]])  # the winner is no mixture of the others, by 1e-11
    keep("mixture", near, np.ones((1, 1)), np.zeros(1, dtype=int))
    copy = tokens.copy()
    copy[3, (selected[3] + 1) % 4] = copy[3, selected[3]] + 1e-9 * rng.normal(size=3)
    keep("copy", copy, queries, selected)


def keep(name: str, tokens, queries, selected) -> None:
    np.savez_compressed(f"{name}.npz", tokens=tokens, queries=queries, selected=selected)


# ---- honest answers


def honest(problem: str, norm: str) -> dict:
    """The arrays of an answer that holds, and the rows of its problem; written the first time."""
    path = Path(f"{problem}-{norm}.npz")
    inputs = certificate.read(f"{problem}.npz")
    if not path.exists():
        tol = geometry.get(norm).tolerance
        answer = solve(ragged(inputs), norm, tol)
        assert answer.status != "uncertified", (problem, norm, answer.rejected)
        certificate.save(path, answer, norm, tol, f"{problem}.npz", inputs)
        np.savez_compressed(path, **arrays_of(path))
        certificate.verify(path)
    return arrays_of(path)


def arrays_of(path: Path) -> dict:
    with np.load(path) as archive:
        return dict(archive)


def rows(problem: str):
    """A_k (m, d, e)."""
    (tokens, queries, winner, loser, query), _, _ = certificate.matrices(certificate.read(f"{problem}.npz"))
    return (tokens[winner] - tokens[loser])[:, :, None] * queries[query][:, None, :]


def forge(of: tuple[str, str], kind: str, false: str, reason: str, **change) -> None:
    """One forged answer: arrays of an honest one are replaced; None removes one."""
    arrays = {name: array for name, array in (honest(*of) | change).items() if array is not None}
    count = sum(fake["kind"] == kind for fake in fakes)
    name = f"fake-{kind.replace(' ', '-')}-{count}.npz"
    np.savez_compressed(name, **arrays)
    norm = str(arrays["norm"])
    entry = {"file": name, "honest": f"{of[0]}-{of[1]}.npz", "kind": kind, "norm": norm, "false": false}
    fakes.append(entry | {"reason": reason})


# ---- forgeries


def in_every_norm(norm: str) -> None:
    of = "plain", norm
    true = honest(*of)
    W, dual, A = true["W"], true["dual"], rows("plain")
    rng = np.random.default_rng(NORMS.index(norm))
    some = rng.random(len(dual)) + 0.1
    below = np.where(np.arange(len(dual)) == dual.argmin(), -5e-324, dual)
    other = honest("plain", "nuc" if norm == "fro" else "fro")
    looser = dual + 1e-2 * dual.max() * some
    forge(of, "no multipliers", "any separator is said to be the shortest", GAP, W=1e15 * W, dual=0 * dual)
    forge(of, "overflow", "with multipliers of 1e307, inf <= inf", GAP, dual=1e307 * some)
    forge(of, "overflow to NaN", "the dual matrix is NaN", GAP, dual=1.7e308 * np.ones_like(dual))
    forge(of, "huge solution", "products overflow, and nothing is promised", VIOLATED, W=1e300 * W, dual=0 * dual)
    forge(of, "zero solution", "W = 0 separates nothing", VIOLATED, W=0 * W)
    forge(of, "turned around", "-W separates nothing", VIOLATED, W=-W)
    forge(of, "NaN solution", "W is no matrix", "the solution is not finite", W=np.full_like(W, np.nan))
    forge(of, "transposed", "W stands on its side", "does not hold", W=W.T)
    forge(of, "negative multiplier", "a multiplier is the first float below zero", FINITE, dual=below)
    forge(of, "short margin", "a margin lacks 1e-2", "does not hold", W=_short(W, A, dual, 1e-2))
    forge(of, "short margin", "a margin lacks 1e-4", "does not hold", W=_short(W, A, dual, 1e-4))
    forge(of, "loose gap", "another separator is longer by 1e-6", GAP, W=_longer(W, A, 1e-6, norm))
    forge(of, "loose multipliers", "the multipliers leave a gap", GAP, dual=looser)
    forge(of, "other norm", "the answer of another norm", "does not hold", W=other["W"], dual=other["dual"])
    forge(of, "remote", "no multipliers bound the norm from below", PROMISE, status="remote", dual=0 * dual)
    sets = "sets", norm
    tilted = honest(*sets)["W"] + 1e-3 * rows("sets")[0]
    forge(sets, "unequal logits", "the logits inside a set differ", "does not hold", W=W)
    forge(sets, "unequal logits", "the logits inside a set differ by 1e-3", "does not hold", W=tilted)
    ones, almost = np.full((3, 1), 2.0**67), np.full((3, 1), 2.0**-53 - 1)
    left, right = np.hstack([ones, ones, W]), np.hstack([np.ones((3, 1)), almost, np.eye(3)])
    reason = VIOLATED if norm in INVARIANT else "is not known from its factors"
    false = "the product of the factors is W and 2^14 everywhere"
    forge(of, "factors that cancel", false, reason, W=None, W_left=left, W_right=right)


def _short(W, A, dual, by):
    """W moved away from the row of the largest multiplier, whose margin then lacks `by`."""
    k = int(dual.argmax())
    return W - by * A[k] / (A[k] ** 2).sum()


def _longer(W, A, by, norm):
    """W mixed with a longer separator, so that its norm relative to its least margin grows by about `by`."""
    size = geometry.get(norm).value
    V = honest("plain", "fro" if norm != "fro" else "nuc")["W"]
    V = V / _margin(A, V)
    share = 1.0
    for _ in range(60):
        mixed = (1 - share) * W + share * V
        if size(mixed) / _margin(A, mixed) / size(W) - 1 < by:
            return (1 - 2 * share) * W + 2 * share * V
        share /= 2
    raise AssertionError(norm)


def _margin(A, W):
    return np.einsum("kde,de->k", A, W).min()


def once() -> None:
    of = "plain", "fro"
    true = honest(*of)
    W, dual = true["W"], true["dual"]
    forge(of, "single precision", "true, but W has numbers of 24 bits", SHAPE, W=W.astype(np.float32))
    forge(of, "single precision", "true, but multipliers have 24 bits", SHAPE, dual=dual.astype(np.float32))
    forge(of, "complex numbers", "W is complex", SHAPE, W=W.astype(complex))
    forge(of, "wrong shape", "a multiplier is missing", SHAPE, dual=dual[1:])
    forge(of, "wrong shape", "true, but W is a stack of one matrix", SHAPE, W=W[None])
    forge(of, "wrong shape", "the factors have different ranks", SHAPE, W=None, W_left=W, W_right=np.eye(3)[:, :2])
    forge(of, "infinite multiplier", "a multiplier is infinite", FINITE, dual=np.where(dual > 0, np.inf, 0.0))
    forge(of, "infinite multiplier", "a multiplier is NaN", FINITE, dual=np.where(dual > 0, np.nan, 0.0))
    forge(of, "infinite solution", "W is infinite", "the solution is not finite", W=W * np.inf)
    for tol in (100.0, 1.0, 1e-6, 0.0, -1e-10, np.nan, np.inf):
        reason = "tol: expected a relative gap above 0 and at most 1e-07"
        forge(of, "tolerance", f"{tol} is no tolerance of a proof", reason, tol=tol, dual=dual**1.5)
    for norm in ("l0.5", "l1.001", "l101", "l-2", "lnan", "linfinity", "fro ", "nuk", ""):
        forge(of, "norm", f"there is no norm {norm!r}", "there is no norm", norm=norm)
    for status in ("uncertified", "Solved", "SOLVED", "optimal", "solved ", "proved", ""):
        forge(of, "status", f"{status!r} claims nothing", "claims nothing", status=status)
    forge(of, "format", "an older format, with its numbers taken for proved", "another version", format=1)
    forge(of, "format", "no number", "is no certificate: format is not a number", format="2")
    others, numbers = "was made for other tokens", certificate.digest(certificate.read("swapped.npz"))
    forge(of, "other tokens", "the tokens of an input stand in another order", others, problem="swapped.npz")
    forge(of, "other tokens", "the hash is another", others, problem_sha256="0" * 64)
    swapped = {"problem": "swapped.npz", "problem_sha256": numbers}
    forge(of, "other tokens", "a winner and a loser are swapped", VIOLATED, **swapped)
    forge(of, "nothing to check", "the answer has no multipliers", "the array dual is missing", dual=None)
    forge(of, "nothing to check", "the answer has no W", "the array W is missing", W=None)
    forge(of, "near", "true, but a W of norm 3 separates", NOT_ZERO, status="remote")
    # One input is 1e11 times as large as the others, and one row is short.
    of = "scaled", "fro"
    lengths = np.linalg.norm(rows("scaled").reshape(len(honest(*of)["dual"]), -1), axis=1)
    single = (np.arange(len(lengths)) == lengths.argmin()).astype(float)
    refuted, weights = {"status": "infeasible", "dual": single}, single.astype(int).astype(str)
    forge(of, "one short row", "it refutes a problem that can be separated", NOT_ZERO, farkas=weights, **refuted)
    forge(of, "one short row", "the same without an exact combination", "(farkas) is missing", **refuted)
    forge(of, "one short row", "true, but a W that is little longer separates", NOT_ZERO, status="remote", dual=single)
    for norm in ("fro", "nuc", "l1", "linf", "rowsum"):
        W = honest("plain", norm)["W"]
        forge(("copy", norm), "copy of a token", "the W that the other rows ask for", "does not hold", W=W)
    of = "mixture", "fro"
    true, weights = honest(*of), np.array(["1", "1"])
    forge(of, "nearly a mixture", "a W of norm 1e11 separates", NOT_ZERO, status="infeasible", farkas=weights)
    forge(of, "nearly a mixture", "W is shorter by 1e5", "does not hold", status="solved", W=true["W"] / 1e5)


def refutations(norm: str) -> None:
    of = "conflict", norm
    true = honest(*of)
    farkas, dual = true["farkas"].tolist(), true["dual"]
    used = next(k for k, text in enumerate(farkas) if text != "0")

    def changed(kind, false, reason, one, all_alike=False):
        texts = [one(text) if all_alike or k == used else text for k, text in enumerate(farkas)]
        forge(of, kind, false, reason, farkas=np.array(texts))

    changed("combination not zero", "an integer is one too many", NOT_ZERO, lambda text: str(int(text) + 1))
    changed("combination not zero", "a weight is missing", NOT_ZERO, lambda text: "0")
    changed("negative weights", "all weights are negative", "negative on an inequality", lambda text: f"-{text}", True)
    changed("nothing promised", "all weights are zero", "promises no positive bound", lambda text: "0", True)
    changed("no integers", "a weight is a fraction", NO_INTEGERS, lambda text: f"{text}.5")
    changed("no integers", "a weight is empty", NO_INTEGERS, lambda text: "")
    changed("no integers", "a weight has an exponent", NO_INTEGERS, lambda text: f"{text}e3")
    forge(of, "no integers", "the weights are floats", MISSING, farkas=np.array([float(text) for text in farkas]))
    forge(of, "wrong length", "a weight too many", MISSING, farkas=np.array([*farkas, "0"]))
    W = np.random.default_rng(3).normal(size=true["W"].shape)
    huge = {"status": "solved", "W": 5e18 * W / np.linalg.norm(W)}
    forge(of, "solved though nothing separates", "a W of norm 5e18", "does not hold", **huge)
    forge(of, "solved though nothing separates", "W = 0", VIOLATED, status="solved", W=0 * W, dual=0 * dual)
    of = "plain", norm
    weights = np.array(["1"] * len(honest(*of)["dual"]))
    forge(of, "refuted though W separates", "equal weights", NOT_ZERO, status="infeasible", farkas=weights)


def main() -> None:
    with TemporaryDirectory() as folder, chdir(folder):
        problems()
        for norm in NORMS:
            in_every_norm(norm)
        once()
        for norm in ("fro", "nuc"):
            refutations(norm)
        lines = ",\n".join(f" {json.dumps(fake)}" for fake in fakes)
        Path("fakes.json").write_text(f"[\n{lines}\n]\n")
        pack(Path(folder))


if __name__ == "__main__":
    main()
