"""Snakemake without the second that its imports take: a process that has made them forks for every start.

    python tests/forked.py

reads a request per line, {"folder", "arguments", "environment", "output"}, and answers each with the exit status. What
runs is what `python -m snakemake` runs, with the same arguments, environment and path, and it ends as any interpreter
ends.
"""

import atexit
import importlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

# What Snakemake imports while it runs: our package is not among it, each start takes that of its own folder.
LATER = (
    "boto3 docutils.core dpath http.client jinja2 jsonschema nbformat PIL.Image pygments.lexers requests runpy "
    "snakemake.dag snakemake.executors.local snakemake.report snakemake.script snakemake_storage_plugin_s3 yte"
)


def serve():
    """Fork and answer until nobody asks any more."""
    import snakemake.cli

    for module in LATER.split():
        importlib.import_module(module)
    clean = [path for path in sys.path if path != str(Path(__file__).parent)]
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    for line in sys.stdin:
        request = json.loads(line)
        if child := os.fork():
            answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
            continue
        output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for target, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, output), (2, output)):
            os.dup2(source, target)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.path[:] = [request["folder"], *request["environment"]["PYTHONPATH"].split(os.pathsep), *clean]
        sys.argv[:] = [str(Path(snakemake.__file__).with_name("__main__.py")), *request["arguments"]]
        snakemake.cli.main()
        return


class Server:
    """The process that forks, started when it is first asked."""

    def __init__(self):
        self.process, self.lock = None, threading.Lock()

    def run(self, folder, arguments, environment, output):
        """Run Snakemake to its end; its exit status."""
        request = {
            "folder": str(folder),
            "arguments": list(arguments),
            "environment": environment,
            "output": str(output),
        }
        with self.lock:
            if self.process is None:
                without = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
                self.process = subprocess.Popen(
                    [sys.executable, __file__], env=without, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
                atexit.register(self.process.stdin.close)
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            return int(self.process.stdout.readline())


SERVER = Server()
if __name__ == "__main__":
    serve()
