"""The jobs for one of many models, one file each: what a job runs again for is what its file imports."""
