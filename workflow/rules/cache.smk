"""Between-workflow caching, where `--cache` asks for it: blocks that another clone has computed are taken from there.

Eligible are the stages of a block. Their one file follows from their params (settings, hash of the code, block) and from
the stages before, which is what Snakemake's key is made of. `measures` and the figures take seconds; `provenance` speaks
of this machine. A file from the cache cost nothing here, and so has no times: Snakemake allows no benchmark beside it.
"""

if workflow.workflow_settings.cache is not None:
    for stage in (rules.problems, rules.descent, rules.svm):
        from_cache(stage)
