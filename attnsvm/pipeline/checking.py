"""Check what a user wrote against a JSON schema; say what is wrong in one sentence that names the key.

jsonschema is imported where something is checked: most runs of Snakemake remember that all is right.
"""

import math
from functools import cache

from attnsvm.pipeline.log_format import meant
from attnsvm.system.errors import require


def first_error(value, schema: dict) -> str:
    """The first thing in `value` that the schema does not allow, in a sentence that names the key; "" if nothing."""
    errors = list(_validator()(schema).iter_errors(value))
    if not errors:
        return ""
    return _sentence(min(errors, key=lambda e: ([str(p) for p in e.absolute_path], e.validator != "type")))


@cache
def _validator():
    import jsonschema

    # JSON Schema takes 4.0 for an integer and lets NaN pass every bound.
    types = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
            "number": lambda _, value: (
                isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            ),
        }
    )
    return jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=types)


def schema_error(schema: dict) -> str:
    """What makes `schema` no JSON schema; "" if nothing."""
    import jsonschema

    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        return f"this is not a JSON schema: {'.'.join(map(str, error.absolute_path))}: {error.message}"
    return ""


def _sentence(error) -> str:
    key = ".".join(str(part) for part in error.absolute_path)
    where = f"{key}: " if key else ""
    match error.validator:
        case "additionalProperties":
            known = sorted(error.schema["properties"])
            unknown = sorted(set(map(str, error.instance)) - set(known))
            return f"{where}unknown key {unknown[0]!r}: {meant(unknown[0], known)}"
        case "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return f"{where}the key {missing[0]!r} is missing"
        case "type":
            wanted = error.validator_value if isinstance(error.validator_value, str) else error.validator_value[0]
            finite = "finite " if wanted == "number" else ""
            return f"{where}{error.instance!r} is not of type {finite}{wanted}{_remedy(error.instance, wanted)}"
        case "minimum":
            return f"{where}{error.instance} is too small, the least value is {error.validator_value}"
        case "exclusiveMinimum":
            return f"{where}{error.instance} is too small, it must be above {error.validator_value}"
        case "maximum":
            return f"{where}{error.instance} is too large, the largest value is {error.validator_value}"
        case _:
            return f"{where}{error.message}"


def _remedy(value, wanted: str) -> str:
    """How to write what was probably meant; "" where that is not clear."""
    if wanted == "integer" and isinstance(value, str | float):
        try:
            number = float(value)
        except ValueError:
            return ""
        return f": write {int(number)}" if number.is_integer() else ""
    if wanted == "object" and not isinstance(value, dict):
        return ": write keys and values, as in {dpi: 72}"
    return ""


def related(name: str, relations: list[dict], values: dict) -> None:
    """Raise `UserError` for the first relation between settings of experiment `name` that does not hold."""
    for relation in relations:
        ((kind, keys),) = relation.items()
        first, second = (values[stage][named] for stage, named in (key.split(".") for key in keys))
        own, other = (f"experiments.{name}.{key}" for key in keys)
        where = f"config: {own}"
        match kind:
            case "below":
                require(first < second, f"{where}: {first} is not below {other}, which is {second}")
            case "at_most":
                least = min(second) if isinstance(second, list) else second
                require(first <= least, f"{where}: {first} is above {other}, which is {second}")
            case "same_length":
                require(
                    len(first) == len(second),
                    f"{where}: {len(first)} values, but {other} has {len(second)}: give one for each",
                )
