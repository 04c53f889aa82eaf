"""The tables of several models become one page."""

import os

from attnsvm import store
from attnsvm.inspect import atlas, origin
from attnsvm.inspect.several import COMMAND


def compared(tables: dict[str, str], csv: str, html: str) -> None:
    """Write the atlas, given {name: its heads.parquet}."""
    read = {name: store.load_table(path) for name, path in tables.items()}
    counted = atlas.counted(read)
    store.save_csv(csv, counted)
    store.save_text(html, atlas.render(counted, read, origin.made(os.environ.get(COMMAND, ""))))
