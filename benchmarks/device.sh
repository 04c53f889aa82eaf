#!/usr/bin/env bash
# Is a GPU right, and does it pay? `bash benchmarks/device.sh` is stopped after five minutes, see device.py beside this.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
command -v "$python" > /dev/null || python=python3
"$python" -c "import numba, torch, tqdm" 2> /dev/null || { echo "$python has not the packages: make install, or PYTHON=..." >&2; exit 1; }
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONUNBUFFERED=1 PYTHONPATH=".${PYTHONPATH:+:$PYTHONPATH}"
exec timeout 300 "$python" benchmarks/device.py "$@"
