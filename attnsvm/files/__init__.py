"""Files that are whole or absent: how they are written, read and verified."""

FORMAT = 2  # of block files; another number makes every stage run again
