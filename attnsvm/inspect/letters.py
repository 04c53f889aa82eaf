"""Windows of the sentences of this package as tokens: one letter each, and the class of the letter that follows."""

from collections import Counter

import numpy as np

from attnsvm.inspect.texts import sentences

FREQUENT = 9  # letters with a class of their own; all others are one more class


def windows(length: int) -> tuple[np.ndarray, np.ndarray]:
    """One-hot letters (N, length, letters), and the class of the next letter (N,)."""
    text = " ".join(sentences()).lower()
    letters = sorted(set(text))
    classes = {letter: rank for rank, (letter, _) in enumerate(Counter(text).most_common(FREQUENT))}
    numbers = np.array([letters.index(letter) for letter in text])
    following = np.array([classes.get(letter, FREQUENT) for letter in text[length:]])
    return np.eye(len(letters))[np.lib.stride_tricks.sliding_window_view(numbers[:-1], length)], following
