"""The stages of a block: draw its problems, train them, solve and certify their max-margin problems, measure; then the
tables of an experiment, which its blocks are gathered into."""

# Between-workflow caching, where `--cache` asks for it: blocks that another clone has computed are taken from there. What
# is cached follows from its params, of which Snakemake's key is made; its record lies in that cache, by its SHA-256. A
# file from the cache cost nothing here, and so has no times.
CACHED = "SNAKEMAKE_OUTPUT_CACHE" in os.environ


rule problems:
    input:
        unpack(inputs_of("problems")),
    output:
        read_once(f"{AT}results/{{experiment}}/{{block}}/problems.npz"),
    log:
        f"{AT}results/logs/{{experiment}}/{{block}}/problems.log",
    cache: CACHED
    priority: begins("problems")
    conda:
        "../../environment.yml"
    # More is the profile's to give, and changes no byte: set-threads, or --set-threads descent=4.
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=30,
    params:
        **params_of("problems"),
    message:
        "{wildcards.experiment} {wildcards.block}: draw the problems"
    script:
        "../scripts/job.py"


use rule problems as descent with:
    input:
        unpack(inputs_of("descent")),
    output:
        read_once(f"{AT}results/{{experiment}}/{{block}}/descent.npz"),
    log:
        f"{AT}results/logs/{{experiment}}/{{block}}/descent.log",
    cache: CACHED
    priority: begins("descent")
    resources:
        mem_mb=growing(2000),
        runtime=120,
    params:
        **params_of("descent"),
    message:
        "{wildcards.experiment} {wildcards.block}: train by gradient descent"


use rule problems as svm with:
    input:
        unpack(inputs_of("svm")),
    output:
        read_once(f"{AT}results/{{experiment}}/{{block}}/svm.npz"),
    log:
        f"{AT}results/logs/{{experiment}}/{{block}}/svm.log",
    cache: CACHED
    priority: begins("svm")
    resources:
        mem_mb=growing(2000),
        runtime=120,
    params:
        **params_of("svm"),
    message:
        "{wildcards.experiment} {wildcards.block}: solve and certify the SVMs"


# Where an experiment has many blocks, each is measured where it was trained, and what is gathered is small.
use rule problems as measures_of_block with:
    input:
        unpack(inputs_of("measures_of_block")),
    output:
        f"{AT}results/{{experiment}}/{{block}}/measures.npz",
    log:
        f"{AT}results/logs/{{experiment}}/{{block}}/measures.log",
    priority: begins("measures_of_block")
    resources:
        mem_mb=growing(2000),
        runtime=30,
    params:
        **params_of("measures_of_block"),
    message:
        "{wildcards.experiment} {wildcards.block}: measure"


# Few blocks are measured here, too.
rule measures:
    input:
        unpack(inputs_of("measures")),
    output:
        table=f"{AT}results/{{experiment}}/measures.parquet",
        instances=f"{AT}results/{{experiment}}/instances.parquet",
        outcomes=f"{AT}results/{{experiment}}/outcomes.csv",
        cells=f"{AT}results/{{experiment}}/cells.csv",
        certificates=f"{AT}results/{{experiment}}/certificates.csv",
    log:
        f"{AT}results/logs/{{experiment}}/measures.log",
    priority: begins("measures")
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=30,
    params:
        **params_of("measures"),
    message:
        "{wildcards.experiment}: measure and gather the blocks"
    script:
        "../scripts/job.py"
