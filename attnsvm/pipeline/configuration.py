"""Check a configuration against its JSON schema; say what is wrong in one sentence that names the key."""

import difflib
import math
from pathlib import Path

import yaml

from attnsvm.errors import UserError


def validate(config: dict, schema_path: str | Path) -> None:
    """Raise `UserError` for the first key of `config` that the schema does not allow."""
    import jsonschema

    schema = yaml.safe_load(Path(schema_path).read_text())
    # JSON Schema takes 4.0 for an integer and lets NaN pass every bound.
    types = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
            "number": lambda _, value: isinstance(value, int | float) and math.isfinite(value),
        }
    )
    validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=types)
    errors = list(validator(schema).iter_errors(config))
    if errors:
        first = min(errors, key=lambda e: ([str(p) for p in e.absolute_path], e.validator != "type"))
        raise UserError("config: " + _sentence(first))


def _sentence(error) -> str:
    key = ".".join(str(part) for part in error.absolute_path)
    where = f"{key}: " if key else ""
    match error.validator:
        case "additionalProperties":
            known = sorted(error.schema["properties"])
            unknown = sorted(set(error.instance) - set(known))
            close = difflib.get_close_matches(unknown[0], known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
            return f"{where}unknown key {unknown[0]!r}: {hint}"
        case "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return f"{where}the key {missing[0]!r} is missing"
        case "type":
            finite = "finite " if error.validator_value == "number" else ""
            return f"{where}{error.instance!r} is not of type {finite}{error.validator_value}"
        case "minimum":
            return f"{where}{error.instance} is too small, the least value is {error.validator_value}"
        case "exclusiveMinimum":
            return f"{where}{error.instance} is too small, it must be above {error.validator_value}"
        case "maximum":
            return f"{where}{error.instance} is too large, the largest value is {error.validator_value}"
        case _:
            return f"{where}{error.message}"
