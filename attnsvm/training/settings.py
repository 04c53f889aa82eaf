"""What every experiment reads from its settings to train."""

from attnsvm.training.rules.gradient_descent import exact, published

NORMALISATIONS = {"published": published, "exact": exact}


def how_to_train(settings: dict) -> dict:
    """The keyword arguments of `train` that every experiment reads from its settings.

    Args:
        settings: with the keys normalisation ("published" or "exact"), learning_rate, steps and device.

    Raises:
        KeyError: a key is missing, or the normalisation has another name.
    """
    rule = NORMALISATIONS[settings["normalisation"]](settings["learning_rate"])
    return {"rule": rule, "steps": settings["steps"], "device": settings["device"]}
