"""`python recipes.py install | lock | address | clean`: what make decides, and what it writes and deletes.

What was typed after make (VENV, TORCH, URL) is read from the environment: neither make nor a shell runs a word of it.
Run as a file by whichever Python there is: it imports the standard library only, and older Pythons can read it.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

PREFLIGHT = Path(__file__).absolute().with_name("preflight.py")
PROMPT = "attnsvm"  # by which preflight.py knows an environment of ours
DONE = ".installed"  # in the environment, when all is there
LOCK, CUDA = "requirements.lock", "requirements-cuda.lock"
WITHOUT_CUDA = "https://download.pytorch.org/whl/cpu"
EXTRAS = "pipeline,dev,cluster,models,paper,site,storage"
# The address of this repository stands in these, in the words of each format, and nowhere else.
ADDRESSED = ("pyproject.toml", "CITATION.cff")
ADDRESS = re.compile(r"https://[\w.-]+(:\d+)?(/[\w.~+-]+)+", re.ASCII)
# What a build fills: its files have their checksums beside them, but in the folders that Snakemake fills.
FILLED, BY_SNAKEMAKE = ("results", "figures", "smoke"), ("logs", "benchmarks", ".metadata")
KEPT = ("figures/README.md", "figures/gallery")
MADE = {"site": "index.html", ".snakemake": "metadata"}  # {folder: what it holds}
DRAWN = ("paper/attnsvm.pdf", "paper/software/paper.md")


class Refusal(Exception):
    """What is wrong, and what to do."""


def main(arguments):
    recipes = {"install": install, "lock": lock, "address": address, "clean": clean}
    try:
        recipes[arguments[0]]()
    except Refusal as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        return error.returncode if error.returncode > 0 else 1
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def install():
    """Install the locked requirements, unless they are there and no older than the lists."""
    venv = Path(os.environ["VENV"])
    try:
        done = (venv / DONE).stat().st_mtime
    except OSError:
        done = 0.0
    if done >= max(Path(name).stat().st_mtime for name in (LOCK, CUDA, "pyproject.toml")):
        return
    torch = os.environ.get("TORCH", "")
    checked = [sys.executable, str(PREFLIGHT), "--quiet", "--venv", str(venv), "--torch", torch]
    subprocess.run(checked, check=True)
    for command in installing(sys.executable, venv, torch):
        _run(*command)
    (venv / DONE).touch()


def installing(python, venv, torch):
    """The commands that fill an environment."""
    pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    first = []
    if torch == "cpu":
        # Alone: where its index is out of reach this ends at once; it is not asked for all packages, and no CUDA comes.
        locked = [line for line in Path(LOCK).read_text("utf-8").splitlines() if line.startswith("torch==")]
        first = [[*pip, "--no-deps", "--index-url", WITHOUT_CUDA, *locked]]
    return [
        [python, "-m", "venv", "--clear", "--prompt", PROMPT, str(venv)],
        *first,
        [*pip, "-r", LOCK, "-c", CUDA],
        [*pip, "--no-deps", "--no-build-isolation", "-e", "."],
    ]


def lock():
    """Resolve pyproject.toml again, in an environment that is made for it and goes with it."""
    with tempfile.TemporaryDirectory(prefix="attnsvm-lock-") as folder:
        python = str(Path(folder) / "bin" / "python")
        pip = [python, "-m", "pip"]
        _run(sys.executable, "-m", "venv", folder)
        _run(*pip, "install", "--quiet", "torch==2.13.0", "-c", CUDA)
        _run(*pip, "install", "--quiet", "-e", f".[{EXTRAS}]")
        frozen = [*pip, "freeze", "--all", "--exclude-editable", "--exclude", "pip"]
        found = subprocess.run(frozen, check=True, stdout=subprocess.PIPE, text=True).stdout
    head = [line for line in Path(LOCK).read_text("utf-8").splitlines() if line.startswith("#")]
    _write(LOCK, "\n".join([*head, *(re.sub(r"\+cpu$", "", line) for line in found.splitlines())]) + "\n")


def address():
    """Set the address of this repository: URL, or that of git's remote."""
    url = os.environ.get("URL", "") or remote()
    if not ADDRESS.fullmatch(url):
        what = f"{url!r} is no address" if url else "git has no remote origin with an address to take"
        raise Refusal(f"{what}; say which: make address URL=https://github.com/me/attnsvm")
    texts = {name: Path(name).read_text("utf-8") for name in ADDRESSED}
    old = re.search(r'^Repository = "(https://[^"\s]+)"$', texts["pyproject.toml"], re.MULTILINE)
    if not old:
        raise Refusal('pyproject.toml: there is no line Repository = "https://..." to change')
    for name, text in texts.items():
        _write(name, text.replace(old.group(1), url))


def remote():
    """The address that git has for origin, as a browser takes it, without a name and a password; "" without one."""
    try:
        found = subprocess.run(
            ["git", "remote", "get-url", "origin"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return ""
    url = found.stdout.decode("utf-8", "replace").strip()
    short = re.fullmatch(r"(?:ssh://(?:[\w.-]+@)?|git@)([\w.-]+)(?::\d+/|[:/])/?(.+)", url)
    url = f"https://{short.group(1)}/{short.group(2)}" if short else re.sub(r"^https://[^/@\s]*@", "https://", url)
    return re.sub(r"(\.git)?/?$", "", url, count=1)


def clean():
    """Delete what a build made, also behind links; name what lies among it and is not of a build."""
    kept: list = []
    seen: set = set()
    for top in FILLED:
        if os.path.isdir(top):
            _empty(top, False, kept, seen)
            _remove_empty(top)
    for path in DRAWN:
        if os.path.isfile(path) and os.path.exists(_checksum(path)):
            os.remove(path)
            os.remove(_checksum(path))
    for folder, mark in MADE.items():
        if os.path.isdir(folder) and not os.path.islink(folder) and os.path.exists(os.path.join(folder, mark)):
            shutil.rmtree(folder)
        elif os.path.lexists(folder):
            kept.append(folder)
    if os.path.isfile("report.html"):
        os.remove("report.html")
    for path in kept:
        print(f"{ascii(path)[1:-1]}: no build made it; it stays")


def _empty(folder, by_snakemake, kept, seen):
    """Delete the files of a build in a folder, and the folders that are empty then."""
    real = os.path.realpath(folder)
    if real in seen:  # a link that leads back
        return
    seen.add(real)
    for name in sorted(os.listdir(folder), key=lambda name: (name.startswith("."), name)):  # checksums last
        path = os.path.join(folder, name)
        if path in KEPT:
            continue
        if os.path.isdir(path):
            _empty(path, by_snakemake or (name in BY_SNAKEMAKE and _is_results(folder)), kept, seen)
            _remove_empty(path)
        elif by_snakemake or os.path.exists(_checksum(path)) or re.match(r"\..+\.(sha256|\d+\.(sum\.)?tmp)$", name):
            os.remove(path)
        else:
            kept.append(path)


def _is_results(folder):
    return Path(folder).parts in (("results",), ("smoke", "results"))


def _checksum(path):
    return os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.sha256")


def _remove_empty(folder):
    if not os.path.islink(folder) and not os.listdir(folder):
        os.rmdir(folder)


def _end(number, frame):
    sys.exit(128 + number)


def _run(*command):
    print(" ".join(map(shlex.quote, command)), flush=True)
    # A group of its own: what ends us ends it, and what it has started.
    with subprocess.Popen(list(command), start_new_session=True) as run:
        try:
            status = run.wait()
        except BaseException:
            os.killpg(run.pid, signal.SIGTERM)
            raise
    if status:
        raise subprocess.CalledProcessError(status, list(command))


def _write(name, text):
    """A text in the place of a file, at one stroke; behind a link, if it is one."""
    path = Path(os.path.realpath(name))
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_text(text, "utf-8")
        shutil.copymode(str(path), str(new))
        os.replace(str(new), str(path))
    finally:
        if new.exists():
            new.unlink()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    sys.exit(main(sys.argv[1:]))
