"""`python tools/budgets.py`: what this project may be in size, and what it is; the exit status is 1 where it is more.

The budgets are part of the design. A change that goes over one takes something else out, or raises it by a decision
that docs/house.md gives the reason of.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def lines(tracked: list[str], tops: tuple[str, ...], *endings: str) -> int:
    """Lines of the files below some folders that end so."""
    chosen = (name for name in tracked if name.startswith(tops) and name.endswith(endings))
    return sum((ROOT / name).read_bytes().count(b"\n") for name in chosen)


def words(tracked: list[str]) -> int:
    """Words of the pages of docs/ that are written by hand, as `wc -w` counts them."""
    pages = (name for name in tracked if name.startswith("docs/") and name.endswith(".md"))
    return sum(len((ROOT / name).read_text("utf-8").split()) for name in pages)


def private_names(_: list[str]) -> int:
    """Names of Snakemake's private parts, see the list itself."""
    sys.path.insert(0, str(ROOT))
    from attnsvm.pipeline.snakemake_private import NAMES

    return len(NAMES)


# {what: (the most there may be, how it is counted)}
BUDGETS: dict[str, tuple[int, Callable[[list[str]], int]]] = {
    "lines of the product": (
        50_000,
        lambda tracked: lines(tracked, ("attnsvm/", "workflow/", "tools/"), ".py", ".smk", ".js", ".css", ".html"),
    ),
    "lines of tests": (36_000, lambda tracked: lines(tracked, ("tests/",), ".py")),
    "tracked files": (1_250, len),
    "cards": (60, lambda tracked: sum(name.endswith("/card.yaml") for name in tracked if "/experiments/" in name)),
    "names of Snakemake's private parts": (5, private_names),
    "words of docs": (40_000, words),
}


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    tracked = [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    over = False
    for what, (most, count) in BUDGETS.items():
        found = count(tracked)
        over |= found > most
        print(f"{what:36}{found:8,} of {most:,}{'   over the budget: what goes out for it?' if found > most else ''}")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
