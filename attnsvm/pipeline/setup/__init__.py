"""What somebody needs before the first build: a check of the machine, a folder to work in, a new experiment."""
