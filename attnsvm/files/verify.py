"""`python -m attnsvm.files.verify [FOLDER ...]`: name every damaged file; by default in results and figures."""

import sys

from attnsvm.files import checksums


def main(folders: list[str]) -> int:
    damaged = checksums.damaged(folders or ["results", "figures"])
    for path in damaged:
        print(f"{path}: damaged ({checksums.DIFFERS}); the next run rebuilds it")
    if not damaged:
        print("Every file has the bytes it was written with.")
    return 1 if damaged else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
