"""Where instances come from: problems, the grid of cells that they fill, random draws, and data that is not random."""
