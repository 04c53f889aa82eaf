"""Arrays from outside, checked: a ValueError names the argument, the shape expected and the shape received."""

import numpy as np

LARGEST = 1e50  # beyond it, squares of products leave the range of floats


def finite_array(name: str, value, shape: tuple, meaning: str) -> np.ndarray:
    """`value` as a finite float64 array of the shape given (None: any positive size), or a ValueError that says why."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: expected shape {meaning}, got rows of different lengths") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected real numbers, got dtype {array.dtype}")
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
            f"the first at {first}"
        )
    if largest > LARGEST or 0 < largest < 1 / LARGEST:
        raise ValueError(f"{name}: expected numbers of size 1e-50 to 1e50, got {largest:.0e} at most: change the unit")
    return array


def problem_arrays(tokens, queries) -> tuple[np.ndarray, np.ndarray]:
    """Tokens (n, T, d) and queries (n, e), checked."""
    tokens = finite_array("tokens", tokens, (None, None, None), "(n, T, d)")
    n = len(tokens)
    return tokens, finite_array("queries", queries, (n, None), f"(n, e) with n = {n} as in tokens")


def token_indices(name: str, value, shape: tuple[int, ...], T: int) -> np.ndarray:
    """`value` as token numbers 0 to T − 1 of the shape given, or a ValueError that says why."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu" or array.shape != shape:
        raise ValueError(f"{name}: expected integers of shape {shape}, got {array.dtype} of shape {array.shape}")
    if ((array < 0) | (array >= T)).any():
        raise ValueError(f"{name}: expected token numbers from 0 to {T - 1}, got {array.min()} to {array.max()}")
    return array
