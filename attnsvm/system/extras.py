"""Which extra of pyproject.toml brings a package of others, for the one sentence that says that it is not installed."""

from contextlib import suppress
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


def needed(*modules: str, extra: str = "") -> None:
    """Raise `missing` for the first of some modules that is not installed."""
    for module in modules:
        with suppress(ModuleNotFoundError):
            if find_spec(module):
                continue
        raise missing(module, extra)


def missing(module: str, extra: str = "") -> MissingError:
    """The error for a module that is not installed; `extra`: another than the one that brings the module alone."""
    extra = extra or next((name for name, modules in EXTRAS.items() if module in modules), "")
    clone = (ROOT / "pyproject.toml").is_file()
    package = f"'{ROOT if clone else 'FOLDER_OF_ATTNSVM'}[{extra}]'" if extra else module
    made = "make install, or " if clone and extra.startswith("figures") else ""
    return MissingError(f"{module} is not installed: {made}pip install {package}", name=module)
