"""Where two configurations differ."""


def first_difference(theirs: dict, ours: dict, above: str = "") -> tuple[str, object, object] | None:
    """The first key, in the order of names, whose values differ: (key, theirs, ours); None if there is none."""
    for key in sorted({*theirs, *ours}, key=str):
        one, other = theirs.get(key), ours.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            if found := first_difference(one, other, f"{above}{key}."):
                return found
        elif one != other:
            return f"{above}{key}", one, other
    return None
