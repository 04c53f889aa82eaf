"""Which extra of pyproject.toml brings a package of others, for the one sentence that says that it is not installed."""

from importlib.util import find_spec
from pathlib import Path

from attnsvm.system.errors import MissingError

ROOT = Path(__file__).resolve().parents[2]
# {extra: the modules that it brings, and those before it do not}
EXTRAS = {
    "norms": ("clarabel", "cvxpy"),
    "figures": ("jinja2", "jsonschema", "matplotlib", "pandas", "pyarrow", "snakemake", "threadpoolctl", "yaml"),
    "figures-all": ("pygments", "scs", "sklearn", "torch"),
    "models": ("gguf", "google", "sentencepiece", "tiktoken", "transformers"),
    "publish": ("furo", "myst_parser", "sphinx", "typst"),
}


def needed(*modules: str, by: str = "", extra: str = "") -> None:
    """Raise `missing` for the first of some modules that is not installed."""
    for module in modules:
        if find_spec(module) is None:
            raise missing(module, by, extra)


def missing(module: str, by: str = "", extra: str = "") -> MissingError:
    """The error for a module that is not installed.

    Args:
        by: what needs it, for the sentence.
        extra: the one that brings all that is needed there; default: the first that brings this module.
    """
    extra = extra or next((name for name, modules in EXTRAS.items() if module in modules), "")
    clone = (ROOT / "pyproject.toml").is_file()
    place = f"'{ROOT}[{extra}]'" if clone else f"'FOLDER[{extra}]', where FOLDER is a clone or a wheel of attnsvm"
    made = "make install, or " if clone and extra.startswith("figures") else ""
    sentence = f"{module} is not installed: {made}pip install {place if extra else module}"
    return MissingError(f"{by} needs a package: {sentence}" if by else sentence, name=module)
