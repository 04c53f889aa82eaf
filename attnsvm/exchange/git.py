"""What git says of a folder."""

import subprocess
from pathlib import Path


def head(folder: Path) -> str | None:
    """The commit that is checked out; None without git or outside a repository."""
    try:
        run = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stdout.strip()
