"""Files, processes and the machine: how they are read, written, ended and measured. It knows nothing of attention."""
