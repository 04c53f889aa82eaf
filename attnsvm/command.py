"""The command `attnsvm`: what can be done with the package where no workflow is at hand."""

import argparse
import sys
from collections.abc import Sequence

from attnsvm.files import verify


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog="attnsvm", description="Transformers as support vector machines.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    commands.add_parser("version", help="say which release this is").set_defaults(run=_version)
    checked = commands.add_parser("verify", help="name every file that is not what was written")
    checked.add_argument("folders", nargs="*", metavar="FOLDER", help="default: results and figures")
    checked.set_defaults(run=lambda given: verify.main(given.folders))
    started = commands.add_parser("experiment", help="a folder for a new experiment (needs attnsvm[pipeline])")
    started.add_argument("name", metavar="NAME")
    started.set_defaults(run=_experiment)
    given = parser.parse_args(arguments)
    return given.run(given)


def _version(given: argparse.Namespace) -> int:
    from attnsvm import __version__

    print(f"attnsvm {__version__}")
    return 0


def _experiment(given: argparse.Namespace) -> int:
    try:
        from attnsvm.pipeline import scaffold
    except ImportError as error:
        print(f"error: {error.name} is not installed: pip install 'attnsvm[pipeline]'", file=sys.stderr)
        return 1
    return scaffold.main([given.name])


if __name__ == "__main__":
    sys.exit(main())
