"""Arrays and settings from outside, checked: a ValueError names the argument, what is expected, and what was given."""

from contextlib import suppress
from numbers import Real

import numpy as np

EXACT = 2**53  # integers up to it are float64 numbers
LEAST, MOST = 1e-50, 1e50  # the sizes from and below which squares of products stay in the range of floats
ALONE = "give every input its own tokens alone, as pairs (X_i, z_i), or lengths in a problem file"


def plain(name: str, value, meaning: str = "an array") -> np.ndarray:
    """`value` as an array, or a ValueError where entries are masked, rows of different lengths, or a tensor's own."""
    _require_unmasked(name, value)
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: expected {meaning}, got rows of different lengths") from error
    except (RuntimeError, TypeError) as error:  # gradients, bfloat16, another device
        how = "x.detach().cpu().double().numpy()"
        raise ValueError(f"{name}: expected {meaning}, got a tensor x that NumPy cannot read: give {how}") from error


def _require_unmasked(name: str, value) -> None:
    """NumPy makes a plain array of a masked one without a word, and what is masked would count."""
    if type(value) is not np.ndarray and _masked(value):
        raise ValueError(f"{name}: expected a plain array, got one with masked entries: {ALONE}")


def _masked(value) -> bool:
    if isinstance(value, list | tuple):
        return any(_masked(one) for one in value if isinstance(one, list | tuple | np.ma.MaskedArray))
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.is_masked(value))


def finite_array(name: str, value, shape: tuple, meaning: str) -> np.ndarray:
    """`value` as a finite float64 array of the shape given (None: any positive size), or a ValueError that says why."""
    array = plain(name, value, f"shape {meaning}")
    _require_real(name, array)
    fits = array.ndim == len(shape) and all(
        have > 0 if want is None else have == want for have, want in zip(array.shape, shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{name}: expected shape {meaning}, got {array.shape}")
    array = array.astype(np.float64)
    largest = np.maximum(array.max(initial=0.0), -array.min(initial=0.0))  # NaN where there is one
    if not np.isfinite(largest):
        first = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(
            f"{name}: expected finite numbers in shape {meaning}, got NaN or infinity in {array.shape}: "
            f"the first at {first}{f'; if this is padding, {ALONE}' if name.endswith('tokens') else ''}"
        )
    _require_ordinary(name, largest)
    return array


def _require_real(name: str, array: np.ndarray) -> None:
    """What is proved is proved of the numbers that are given: float64 has to hold them."""
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected real numbers, got dtype {array.dtype}")
    wide = False
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            wide = not np.array_equal(array.astype(np.float64), array, equal_nan=True)
    large = array.dtype.kind in "iu" and array.size and max(int(array.max()), -int(array.min())) > EXACT
    if wide or large:
        raise ValueError(f"{name}: expected numbers that float64 holds, got others of {array.dtype}: round them first")


def _require_ordinary(name: str, largest: float) -> None:
    if largest >= MOST or 0 < largest < LEAST:
        raise ValueError(f"{name}: expected numbers of size 1e-50 to 1e50, got {largest:.0e} at most: change the unit")


def bounds(value) -> np.ndarray:
    """Margins that are asked for, float64, finite and not negative, or a ValueError that says why not."""
    array = plain("bound", value)
    _require_real("bound", array)
    array = array.astype(np.float64)
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise ValueError("bound: expected finite numbers of at least 0")
    _require_ordinary("bound", array.max(initial=0.0))
    return array


def problem_arrays(tokens, queries) -> tuple[np.ndarray, np.ndarray]:
    """Tokens (n, T, d) and queries (n, e), checked."""
    tokens = finite_array("tokens", tokens, (None, None, None), "(n, T, d)")
    n = len(tokens)
    return tokens, finite_array("queries", queries, (n, None), f"(n, e) with n = {n} as in tokens")


def token_indices(name: str, value, shape: tuple[int, ...], T: int) -> np.ndarray:
    """`value` as token numbers 0 to T − 1 of the shape given, or a ValueError that says why."""
    array = plain(name, value)
    if array.dtype.kind not in "iu" or array.shape != shape:
        raise ValueError(f"{name}: expected integers of shape {shape}, got {array.dtype} of shape {array.shape}")
    if ((array < 0) | (array >= T)).any():
        raise ValueError(f"{name}: expected token numbers from 0 to {T - 1}, got {array.min()} to {array.max()}")
    return array.astype(np.int64, copy=False)  # unsigned ones and others would be added as floats


def setting(value):
    """A setting as Python has it: NumPy's numbers and words, and arrays without axes, count as what they hold."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    return float(value) if isinstance(value, np.floating) else value.item() if isinstance(value, np.generic) else value


def tolerance(value, loosest: float) -> float:
    """A relative gap to prove, above 0 and at most `loosest`, or a ValueError that says why not."""
    tol = setting(value)
    if isinstance(tol, Real) and not isinstance(tol, bool):
        with suppress(OverflowError):  # an integer beyond all floats
            if 0 < float(tol) <= loosest * (1 + 2**-23):  # float32 rounds 1e-7 up
                return min(float(tol), loosest)
    raise ValueError(f"tol: expected a relative gap above 0 and at most {loosest:.0e}, or None, got {tol!r}")


def switch(name: str, value) -> bool:
    """A setting that is on or off, or a number from 0 on, as scikit-learn has it for `verbose`; or a ValueError."""
    found = setting(value)
    if isinstance(found, int) and found >= 0:
        return bool(found)
    raise ValueError(f"{name}: expected True, False, or a number from 0 on, got {found!r}")
