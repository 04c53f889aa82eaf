"""How long a build takes: on a cluster, from measured times, and for the person who waits."""
