# syntax=docker/dockerfile:1
# The environment of requirements-all.lock with the workflow in it: `docker build --tag attnsvm .`, then
# `docker run --rm --volume "$PWD/results:/attnsvm/results" attnsvm snakemake figures/all --cores all`; docs/cluster.md says more.
FROM python:3.13-slim-trixie

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1

# git: Snakemake ships the files that git knows to jobs without a shared disk; provenance names the commit.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --no-install-recommends --yes git \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /attnsvm

# The lock first: a changed source file does not install everything again. PyTorch without CUDA comes from its own index.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
COPY requirements-all.lock requirements-cuda.lock ./
RUN python -m pip install --no-deps --require-hashes --requirement requirements-all.lock
RUN python -m pip install --no-deps --index-url "$TORCH_INDEX" "$(grep -o '^torch==[0-9.]*' requirements-cuda.lock)"

COPY . .
RUN python -m pip install --no-deps --no-build-isolation --editable . \
    && git config --system --add safe.directory /attnsvm

# As a user of no rights: jobs write below their folder and nowhere else.
RUN useradd --create-home --uid 1000 attnsvm && chown -R attnsvm /attnsvm
USER 1000

CMD ["snakemake", "figures/all", "audit", "--cores", "all"]
