"""Files that are whole or absent: how they are written, read and verified."""

FORMAT = 3  # of block files; another number makes every stage run again
