"""A SLURM cluster of two nodes on this machine, for tests: its own ports and key, no root, no service.

    python tests/pipeline/cluster/slurm_cluster.py FOLDER    starts one, says how to use it, and stops it on Ctrl-C

Everything lies in one folder, the key too (munge) by which the daemons, on the loopback interface, know their users.
"""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("mungekey", "sbatch", "srun", "squeue", "scancel", "sinfo", "scontrol")
NODES = ("n1", "n2")
# Debian keeps the daemons where a plain user does not look.
SEARCH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin"))

CONFIGURATION = """\
ClusterName=attnsvm
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=256
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0
MailProg=/bin/true
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobcomp.log
MinJobAge=3600
KillWait=2
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=60
{nodes}
PartitionName=test Nodes={names} Default=YES MaxTime=1440 LLN=YES State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} RealMemory=10000 State=UNKNOWN"


class ClusterError(RuntimeError):
    """The cluster does not start; the message says why."""


def missing():
    """The executables a cluster needs that this machine lacks."""
    return [name for name in (*DAEMONS, *COMMANDS) if shutil.which(name, path=SEARCH) is None]


class SlurmCluster:
    """Two nodes of `cpus` each in `folder`; `environment` makes SLURM's commands, and Snakemake, talk to them."""

    def __init__(self, folder, cpus=1, **settings):
        """`settings`: lines of slurm.conf, such as SlurmdTimeout=10; they hold instead of those of CONFIGURATION."""
        self.folder, self.cpus, self.settings = Path(folder).resolve(), cpus, settings
        self.processes = {}  # by the name of the daemon, or of its node
        commands = self.folder / "bin"
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "SBATCH_", "SRUN_"))},
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "PATH": os.pathsep.join((str(commands), SEARCH)),
        }

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, seconds=30):
        """Start the daemons and wait until both nodes are idle."""
        if lacking := missing():
            raise ClusterError(f"SLURM is not installed: {', '.join(lacking)} not found.")
        self._configure()
        try:
            self._munge()
            for name in ("slurmctld", *NODES):
                self.bring_back(name)
            self.wait_until_ready(seconds)
        except BaseException:
            self.stop()
            raise

    def bring_back(self, name):
        """Start the controller ("slurmctld") or a node's daemon, for the first time or after it was killed."""
        if name == "slurmctld":
            self._daemon(name, "slurmctld", "-D", "-i")
        else:
            self._daemon(name, "slurmd", "-D", "-N", name)

    def kill(self, name):
        """SIGKILL to the controller, or to a node's daemon alone: its jobs go on."""
        self.processes[name].kill()
        self.processes[name].wait()

    def wait_until_ready(self, seconds=30):
        """Wait until both nodes are idle."""
        end = time.monotonic() + seconds
        while self.command("sinfo", "-h", "-t", "idle", "-o", "%D", check=False).strip() != str(len(NODES)):
            dead = [name for name, process in self.processes.items() if process.poll() is not None]
            if dead or time.monotonic() > end:
                what = f"{dead[0]} exited" if dead else f"the nodes are not idle after {seconds} s"
                raise ClusterError(f"The SLURM cluster is not ready: {what}; see the logs in {self.folder}.")
            time.sleep(0.1)

    def stop(self, seconds=20):
        """Cancel what runs, then end the daemons, by the process ids recorded when they were started."""
        if any(process.poll() is None for process in self.processes.values()):
            ids = self.command("squeue", "-h", "-o", "%A", check=False).split()
            if ids:
                self.command("scancel", *ids, check=False)
                self.wait_until_idle(10)
        for process in reversed(self.processes.values()):  # nodes first, while the controller still listens
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()

    def command(self, *arguments, check=True):
        """The output of a SLURM command; what it says on stderr is in the error where `check` finds it failed."""
        run = subprocess.run(arguments, env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        if check and run.returncode != 0:
            raise ClusterError(f"{' '.join(arguments)} failed: {run.stderr.strip()}")
        return run.stdout

    def queue(self, states=None):
        """[(job id, state, node)] of the jobs in the queue, or of those in `states` ("all": the finished ones too)."""
        chosen = ("--states", states) if states else ()
        lines = self.command("squeue", "-h", *chosen, "-o", "%i|%T|%N").splitlines()
        return [tuple(line.split("|")) for line in lines]

    def steps(self, job, node):
        """The daemons (slurmstepd) that look after a job's steps on a node, as psutil's processes."""
        lines = self.command("scontrol", "listpids", job, node).splitlines()[1:]
        found = [psutil.Process(int(line.split()[0])).parents() for line in lines]
        return {parent for parents in found for parent in parents if parent.name() == "slurmstepd"}

    def wait_until_idle(self, seconds):
        """Whether the queue empties within `seconds`."""
        end = time.monotonic() + seconds
        while self.command("squeue", "-h", check=False).strip():
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True

    def finished(self):
        """The finished jobs as SLURM logs them: one {"JobId": ..., "JobState": ..., "NodeList": ...} each."""
        log = self.folder / "jobcomp.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [dict(field.split("=", 1) for field in line.split() if "=" in field) for line in lines]

    def _configure(self):
        host = socket.gethostname().split(".")[0]
        try:
            socket.gethostbyname(host)
        except OSError:
            raise ClusterError(f"This machine's name, {host}, does not resolve: add it to /etc/hosts.") from None
        for name in ("state", "bin", *(f"spool.{node}" for node in NODES)):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        controller_port, *ports = free_ports(1 + len(NODES))
        nodes = [
            NODE.format(name=name, host=host, port=port, cpus=self.cpus)
            for name, port in zip(NODES, ports, strict=True)
        ]
        text = CONFIGURATION.format(
            host=host,
            user=getpass.getuser(),
            folder=self.folder,
            controller_port=controller_port,
            nodes="\n".join(nodes),
            names=",".join(NODES),
        )
        lines = [line for line in text.splitlines() if line.partition("=")[0] not in self.settings]
        lines += [f"{name}={value}" for name, value in self.settings.items()]
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        # Inside a job Snakemake calls srun without SLURM's variables, of which SLURM_CONF is one.
        srun = self.folder / "bin" / "srun"
        srun.write_text(
            f"#!/bin/sh\nSLURM_CONF='{self.folder}/slurm.conf' exec '{shutil.which('srun', path=SEARCH)}' \"$@\"\n"
        )
        srun.chmod(0o755)

    def _munge(self):
        key = self.folder / "munge.key"
        if not key.exists():
            self.command("mungekey", "--create", f"--keyfile={key}")
        files = {"socket": "munge.socket", "pid-file": "munged.pid", "seed-file": "munged.seed"}
        options = [f"--{option}={self.folder / name}" for option, name in files.items()]
        # --force: the folders above may be writable by others (/tmp is).
        self._daemon("munged", "munged", "--foreground", "--force", f"--key-file={key}", *options, "--num-threads=2")
        end = time.monotonic() + 5
        while not (self.folder / "munge.socket").exists() and time.monotonic() < end:
            time.sleep(0.02)

    def _daemon(self, name, program, *arguments):
        with open(self.folder / f"{name}.out", "ab") as out:
            self.processes[name] = subprocess.Popen(
                [shutil.which(program, path=SEARCH), *arguments],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,  # Ctrl-C is for whoever uses the cluster
            )
        with open(self.folder / "pids", "a") as file:
            file.write(f"{name} {self.processes[name].pid}\n")


def free_ports(count):
    """Ports nobody listens on, all different."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def main(folder):
    with SlurmCluster(folder) as cluster:
        variables = f"SLURM_CONF={cluster.folder}/slurm.conf PATH={cluster.folder}/bin:$PATH"
        print(f"Two idle nodes. In another terminal:\n  export {variables}\nCtrl-C stops them.", flush=True)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        try:
            while True:
                time.sleep(1)
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ClusterError as error:
        sys.exit(str(error))
