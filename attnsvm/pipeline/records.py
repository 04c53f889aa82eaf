"""Where Snakemake's records lie that travel with results: what made each file, one small file per output.

The name of a record is the path of its output in URL-safe base 64, as Snakemake has it.
"""

import base64
import binascii

TRAVELLING = "results/.metadata"  # those of the last run, beside the results they are about
ARRIVED = "results/.arrived"  # those of results that were unpacked here: the next run takes them for its records


def name(path: str) -> str:
    """The name of the record of an output."""
    return base64.urlsafe_b64encode(path.encode()).decode()


def output(name: str) -> str:
    """The output whose record has this name; "" for a name that no record has."""
    try:
        return base64.urlsafe_b64decode(name).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
