"""Interpreters without the seconds that imports take: a process that has made them forks for every start.

Two of them: one forks Snakemake, and one the scripts of the jobs that a forked Snakemake starts.

    python tests/forked.py snakemake
    python tests/forked.py jobs SOCKET

The first reads a request per line, {"folder", "arguments", "environment", "output", "jobs"}, and answers each with the
exit status. What runs is what `python -m snakemake` runs, with the same arguments, environment and path. The program
`INTERPRETER` stands for `python` there and starts the jobs: it hands a script to the second process where that has the
environment of the job, and is the real interpreter otherwise. Both processes end when their standard input does.
"""

import atexit
import gc
import importlib
import io
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from functools import cached_property, partial
from pathlib import Path

# What Snakemake imports while it runs: our package is not among it, each start takes that of its own folder.
LATER = (
    "boto3 docutils.core dpath http.client jinja2 jsonschema nbformat PIL.Image pygments.lexers requests runpy "
    "snakemake.dag snakemake.executors.local snakemake.report snakemake.script snakemake_storage_plugin_s3 yte"
)
# The same of the jobs. None of them takes a thread.
OF_JOBS = (
    "jinja2 jsonschema matplotlib.backends.backend_agg matplotlib.backends.backend_pdf matplotlib.backends.backend_svg "
    "matplotlib.figure numba numpy pandas PIL.Image pyarrow.parquet scipy.linalg scipy.optimize scipy.special "
    "snakemake.script tqdm yaml"
)
# What may differ between the environment in which the libraries were loaded and that of a job: none of them reads it.
FREE = (
    *("PATH", "PYTHONPATH", "PWD", "OLDPWD", "SHLVL", "_", "TMPDIR", "TMP", "TEMP", "TEMPDIR"),
    *("PYTEST_CURRENT_TEST", "ATTNSVM_COMMAND", "ATTNSVM_INSPECT_COMMAND"),
    *("ATTNSVM_NO_CHECKSUMS", "ATTNSVM_RECORDS", "SNAKEMAKE_OUTPUT_CACHE"),
    *(f"SNAKEMAKE_STORAGE_S3_{name}" for name in ("ENDPOINT_URL", "ACCESS_KEY", "SECRET_KEY")),
    *("WORKERS", "MAIN"),  # of test_bucket.py
)
# One thread, as Snakemake gives it to a job.
THREADS = (
    *("OMP_NUM_THREADS", "GOTO_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"),
)
# The interpreter of the jobs: it hands a script over, with its standard files, and ends as the script does.
INTERPRETER = """#!{python} -IS
import os, sys
if len(sys.argv) == 2 and sys.argv[1].endswith(".py"):
    environment = dict(os.environ)
    if {{key: value for key, value in environment.items() if key not in {free}}} == {environment}:
        import json, signal, socket
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect({socket!r})
            request = json.dumps([sys.argv[1], os.getcwd(), environment]).encode()
            socket.send_fds(connection, [len(request).to_bytes(8, "big")], [0, 1, 2])
            connection.sendall(request)
            status = int(connection.makefile().read())
        if status < 0:
            if -status != signal.SIGKILL:
                signal.signal(-status, signal.SIG_DFL)
            os.kill(os.getpid(), -status)
        sys.exit(status)
os.execv({python!r}, [{python!r}, *sys.argv[1:]])
"""


def load(modules):
    """Import; the path without the folder of this file, which Python has put first."""
    for module in modules.split():
        importlib.import_module(module)
    return [path for path in sys.path if path != str(Path(__file__).parent)]


def become(folder, environment, path):
    """From now on this process is one that was started in a folder, with an environment."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = path
    tempfile.tempdir = None


def end(run):
    """Run, and end as the interpreter does; but taking all modules apart, which takes as long as a job, is left out."""
    status = 0
    try:
        run()
    except SystemExit as exit:
        status = exit.code if isinstance(exit.code, int) else int(exit.code is not None)
        if status and not isinstance(exit.code, int):
            sys.stderr.write(f"{exit.code}\n")
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()  # in this order the interpreter does both
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def serve_snakemake():
    """Fork and answer until nobody asks any more."""
    import snakemake.cli

    clean, answers = load(LATER), os.fdopen(os.dup(1), "w", buffering=1)
    for line in sys.stdin:
        request = json.loads(line)
        if child := os.fork():
            answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
            continue
        output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for target, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, output), (2, output)):
            os.dup2(source, target)
        folder, environment = request["folder"], request["environment"]
        become(folder, environment, [folder, *environment["PYTHONPATH"].split(os.pathsep), *clean])
        sys.argv[:] = [str(Path(snakemake.__file__).with_name("__main__.py")), *request["arguments"]]
        sys.executable = request["jobs"]
        end(snakemake.cli.main)


def draw():
    """Draw a small picture of every kind: what reads fonts and formulae is then there for every figure."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"mathtext.fontset": "dejavusans"}):  # as attnsvm/plots/style.py has it
        figure = Figure()
        axes = figure.subplots()
        axes.set(title="$x^{-1/2}$ (a)", xscale="log", xlim=(1, 10))
        axes.legend(axes.plot([1, 2], label="x"), ["x"])
        for kind in ("png", "pdf", "svg"):
            figure.savefig(io.BytesIO(), format=kind)


def serve_jobs(address):
    """Fork for every connection; a second fork runs the script, and the first says how it ended."""
    clean = load(OF_JOBS)
    draw()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    os.write(1, b"ready\n")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    while listening in select.select([listening, sys.stdin], [], [])[0]:
        connection, _ = listening.accept()
        if os.fork():
            connection.close()
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        size, files, _, _ = socket.recv_fds(connection, 8, 3)
        script, folder, environment = json.loads(connection.makefile("rb").read(int.from_bytes(size, "big")))
        if child := os.fork():
            connection.sendall(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
            os._exit(0)
        connection.close()
        listening.close()
        for target, source in enumerate(files):
            os.dup2(source, target)
            os.close(source)
        own = environment.get("PYTHONPATH", "").split(os.pathsep)
        become(folder, environment, [str(Path(script).parent), *filter(None, own), *clean])
        sys.argv[:] = [script]
        end(partial(runpy.run_path, script, run_name="__main__"))


class Server:
    """The processes that fork, started when they are first asked."""

    def __init__(self):
        self.lock = threading.Lock()

    def run(self, folder, arguments, environment, output):
        """Run Snakemake to its end; its exit status."""
        request = {
            "folder": str(folder),
            "arguments": list(arguments),
            "environment": environment,
            "output": str(output),
            "jobs": self.jobs,
        }
        with self.lock:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            return int(self.process.stdout.readline())

    @cached_property
    def process(self):
        """What forks Snakemake."""
        return self.start(os.environ, "snakemake")

    @cached_property
    def jobs(self):
        """The path of the interpreter of the jobs, when what forks them is there."""
        place = Path(tempfile.mkdtemp(prefix="forked-"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        environment = os.environ | dict.fromkeys(THREADS, "1")
        address = str(place / "socket")
        assert self.start(environment, "jobs", address).stdout.readline() == "ready\n"
        interpreter = place / "python"
        known = {key: value for key, value in environment.items() if key not in FREE}
        interpreter.write_text(INTERPRETER.format(python=sys.executable, free=FREE, environment=known, socket=address))
        interpreter.chmod(0o755)
        return str(interpreter)

    def start(self, environment, *arguments):
        """One of the two processes."""
        without = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
        command = [sys.executable, __file__, *arguments]
        process = subprocess.Popen(command, env=without, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(process.stdin.close)
        return process


SERVER = Server()
if __name__ == "__main__":
    {"snakemake": serve_snakemake, "jobs": serve_jobs}[sys.argv[1]](*sys.argv[2:])
