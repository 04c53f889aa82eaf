"""What a user is told before anything runs: what cannot work."""

from functools import cache

from snakemake.logging import logger

from attnsvm.pipeline import blocks

or_end(blocks.check, SCATTER, ours_alone=ALONE)
if sentence := or_end(blocks.one_per_seed, SCATTER, config):
    logger.warning(sentence)


@cache
def require_device(name):
    """End the run, before its first job, if it must train where there is no such device."""
    or_end(arithmetic.require_device, name, config, trains_here(), logger.warning)


def where_it_can_train(files):
    """An input function: the same files, where the device that they are trained on is there."""

    def trainable(wildcards):
        named = files(wildcards)
        require_device(cards.of_variant(wildcards.experiment)[0])
        return named

    return trainable


def refused(sentence):
    """An input function that ends the run with a sentence about the wildcards."""
    return lambda wildcards: end(sentence(wildcards))
