"""A figure's code without the rest of this package: its modules in one file that Python runs, `NAME.plot.pyz`.

It is a zip file: unpack it, change what you like, and run the folder the same way.
"""

import zipfile
from pathlib import PurePosixPath

from attnsvm.pipeline import cards
from attnsvm.pipeline.hashes.dependencies import ROOT, module_files
from attnsvm.pipeline.targets import CODE
from attnsvm.writing import replacing

DATE = (1980, 1, 1, 0, 0, 0)  # of every member: the same code makes the same file
MAIN = '''"""Draw {name}.redrawn.png from {name}.csv, both beside this file: python {name}.{ending}

It needs matplotlib, NumPy and pandas; the modules of attnsvm that draw this figure are in here.
"""

import os
import sys
from pathlib import Path

os.environ["MPLBACKEND"] = "agg"  # whatever a notebook asks of matplotlib

import pandas as pd
from {module} import draw
from attnsvm.plots.style import rendered

folder, settings = Path(sys.argv[0]).resolve().parent, {settings!r}
figure = draw(pd.read_csv(folder / "{name}.csv"), settings)
(folder / "{name}.redrawn.png").write_bytes(rendered(figure, "png", settings["dpi"]))
'''


def write(name: str, settings: dict, output: str) -> None:
    """Write the file of a figure's code.

    Args:
        settings: those of all figures, see figures.yaml, and the headline.
        output: its path; the figure's csv lies beside it.
    """
    module = cards.read(name).modules["figure"]
    files = module_files(module, "attnsvm.plots.style")
    folders = sorted({f"{parent}/" for file in files for parent in PurePosixPath(file).parents} - {"./"})
    main = MAIN.format(name=name, ending=CODE, module=module, settings=settings)
    with replacing(output) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", DATE), main)
        for folder in folders:  # Python finds no package in a zip file that does not name its folder
            archive.writestr(zipfile.ZipInfo(folder, DATE), b"")
        for file in files:
            archive.writestr(zipfile.ZipInfo(file, DATE), (ROOT / file).read_bytes())
