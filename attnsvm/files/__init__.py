"""Files that are whole or absent: how they are written, read and verified."""
