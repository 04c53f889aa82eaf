"""How a number is printed: rounded to significant digits, with a power of ten where it is very large or small."""

import math

PLAIN = (1e-3, 1e6)  # sizes between which no power of ten is written


def shown(value: float | None, digits: int) -> dict[str, str]:
    """{"digits": ..., "power": ...}; the power is "" where there is none, and a dash stands for what there is not.

    An integer below a million is printed whole, with commas between thousands.
    """
    if value is None or not math.isfinite(value):
        return {"digits": "–", "power": ""}
    if value == 0:
        return {"digits": "0", "power": ""}
    if float(value).is_integer() and abs(value) < PLAIN[1]:
        return {"digits": _signed(f"{value:,.0f}"), "power": ""}
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    if PLAIN[0] <= abs(value) < PLAIN[1]:
        return {"digits": _signed(f"{float(f'{mantissa}e{power}'):,.{max(0, digits - 1 - int(power))}f}"), "power": ""}
    return {"digits": _signed(mantissa), "power": _signed(str(int(power)))}


def text(value: float | None, digits: int) -> str:
    """The same as plain text: "5.8·10^−7"."""
    pieces = shown(value, digits)
    return pieces["digits"] + (f"·10^{pieces['power']}" if pieces["power"] else "")


def _signed(number: str) -> str:
    return number.replace("-", "−")
