"""How long the pipeline takes on clusters of several sizes: the table of docs/cluster.md.

python benchmarks/makespan.py                                100 times the paper's scale
python benchmarks/makespan.py --scale 1 --cores 16 --rate 2  the paper's scale, on 16 cores of a slow controller

Stage times are those of profiles/times.json; attnsvm/pipeline/cluster/makespan.py has the model.
"""

import argparse
from dataclasses import replace
from pathlib import Path

from attnsvm.pipeline.cluster.makespan import Cluster, best, chains, costs
from attnsvm.pipeline.cluster.profile import readable


def main():
    usual = Cluster(1)
    parser = argparse.ArgumentParser(description="Makespan of the pipeline on a cluster, as a Markdown table.")
    parser.add_argument("--times", type=Path, default=Path("profiles/times.json"), help="where the times stand")
    parser.add_argument("--scale", type=float, default=100, help="how many times more instances than measured")
    parser.add_argument("--cores", type=int, nargs="+", default=[100, 1000, 10000])
    parser.add_argument("--rate", type=float, nargs="+", default=[5.0, 100.0], help="jobs submitted per second")
    for name in ("wait", "overhead", "poll"):
        parser.add_argument(f"--{name}", type=float, default=getattr(usual, name), help="seconds")
    given = parser.parse_args()
    measured = costs(given.times)
    usual = replace(usual, wait=given.wait, overhead=given.overhead, poll=given.poll)
    whole = sum(one.block + one.last for one in chains(measured, given.scale, dict.fromkeys(measured, 1)))
    print(f"{given.scale:g} times larger: {whole / 3600:.1f} core-hours in the stages.\n")
    print("| cores | submitted per second | blocks | gathered | makespan | cores busy in the stages |")
    print("|---|---|---|---|---|---|")
    for cores in given.cores:
        for rate in given.rate:
            makespan, blocks, local = best(measured, given.scale, replace(usual, cores=cores, rate=rate))
            jobs = chains(measured, given.scale, blocks)
            busy = sum(one.count * one.block + (0 if local else one.last) for one in jobs)
            where = "login node" if local else "cluster"
            used = f"{busy / (cores * makespan):.0%}"
            print(f"| {cores} | {rate:g} | {sum(blocks.values())} | {where} | {readable(makespan)} | {used} |")


if __name__ == "__main__":
    main()
