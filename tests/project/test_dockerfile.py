"""The recipe of the container: checked as far as it goes without Docker."""

import subprocess


def sources(root):
    """The files that git knows of or would add: what a clone of this folder holds."""
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, text=True)
    return [path for path in listed.splitlines() if (root / path).is_file()]
