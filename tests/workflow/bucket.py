"""`python bucket.py submit|status ...`: a cluster whose jobs share nothing with the machine that submits them.

A job starts in a new empty folder with a home of its own; where Linux lets it, the folder of the main process is not
even there. What it needs it must take from the bucket.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

RUN = 'cd "$WORKER/work" && exec bash ../job.sh'
HIDE = 'mount -t tmpfs none "$HIDDEN" && touch "$WORKER/hidden" && '
NAMESPACE = ["unshare", "--map-root-user", "--mount"]


def hides():
    """Whether this machine lets a user hide a folder from a process."""
    return bool(shutil.which("unshare")) and not subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode


def submit(jobscript):
    """Start a job and say the name of its folder."""
    workers, main = Path(os.environ["WORKERS"]), os.environ["MAIN"]
    number = len(list(workers.iterdir()))
    folder = workers / str(number)
    (folder / "work").mkdir(parents=True)
    (folder / "job.sh").write_text(Path(jobscript).read_text())
    environment = {name: value for name, value in os.environ.items() if name not in ("WORKERS", "MAIN", "PYTHONPATH")}
    environment |= {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "WORKER": str(folder), "HIDDEN": main}
    command = [*NAMESPACE, "bash", "-c", HIDE + RUN] if hides() else ["bash", "-c", RUN]
    waiting = f'"$@" > "{folder}/log" 2>&1; echo $? > "{folder}/status"'
    subprocess.Popen(
        ["bash", "-c", waiting, "job", *command], env=environment, cwd=folder, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    sys.stdout.write(str(number))


def status(number):
    """Say what has become of a job."""
    path = Path(os.environ["WORKERS"]) / number / "status"
    content = path.read_text().strip() if path.exists() else ""
    sys.stdout.write("running" if not content else "success" if content == "0" else "failed")


if __name__ == "__main__":
    {"submit": submit, "status": status}[sys.argv[1]](sys.argv[2])
