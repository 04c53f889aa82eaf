"""What a job calls: one function of the package, by the name of its rule, with the job's files and params."""

from attnsvm.pipeline.running.reporting import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import job_records
    from attnsvm.pipeline.running import stages

    job_records.begin(snakemake.input, snakemake.output)
    inputs, outputs, output = dict(snakemake.input.items()), dict(snakemake.output.items()), snakemake.output[0]
    wildcards, params = snakemake.wildcards, snakemake.params
    match params.job:
        case "problems":
            stages.problems(wildcards.experiment, params.settings, params.origin, output)
        case "descent":
            stages.descent(wildcards.experiment, params.settings, inputs, output, snakemake.threads)
        case "svm":
            stages.svm(wildcards.experiment, params.settings, inputs, output)
        case "measures_of_block":
            stages.measures_of_block(wildcards.experiment, params.settings, inputs, output)
        case "variant":
            by_stage = {path.rpartition("/")[2].removesuffix(".npz"): path for path in snakemake.output}
            stages.variant(wildcards.experiment, params.settings, params.origin, by_stage, snakemake.threads)
        case "measures":
            by_stage = {stage: [files] if isinstance(files, str) else files for stage, files in inputs.items()}
            blocks = [dict(zip(by_stage, files, strict=True)) for files in zip(*by_stage.values(), strict=True)]
            stages.measures(wildcards.experiment, params.settings, blocks, outputs)
        case "figure":
            stages.figure(wildcards.figure, params.settings, inputs, outputs["csv"].removesuffix(".csv"))
        case "claims" | "claims_of":
            from attnsvm.pipeline.running import auditing

            claimed = wildcards.get("claimed", "")
            folder = outputs["csv"].removesuffix(f"results/audit/{claimed or 'claims'}.csv")
            auditing.claims(outputs, folder or ".", claimed)
        case "cells":
            from attnsvm.pipeline.running import auditing

            auditing.cells(wildcards.matrixed, params.variants, params.tables, list(snakemake.input), outputs)
        case "matrix" | "matrices":
            from attnsvm.pipeline.running import auditing

            parts = {part: [files] if isinstance(files, str) else list(files) for part, files in inputs.items()}
            matrixed = wildcards.get("matrixed", "")
            auditing.matrix(matrixed, params.variants, params.tables, parts, outputs)
        case "audit_figure":
            from attnsvm.pipeline.running import auditing

            auditing.audit_figure(params.settings, inputs["claims"], outputs["pdf"].removesuffix(".pdf"))
        case "provenance":
            from attnsvm.pipeline import provenance

            results = f"{output.rpartition('figures/')[0]}results"
            drawn = [inputs["figure"]] if isinstance(inputs["figure"], str) else list(inputs["figure"])
            known = params.experiments, params.blocks, params.settings, params.files
            provenance.write(*known, results, drawn, output, params.outside)
        case "paper_numbers":
            from attnsvm.publish.paper import declared, numbers

            folder = output.removesuffix("results/paper/numbers.json") or "."
            numbers.write(folder, inputs["audits"], declared.read(), params.figures, params.settings, output)
        case "typeset":
            from attnsvm.publish.paper import typesetting

            pictures = dict(zip(params.figures, inputs.get("pictures", []), strict=True))
            typesetting.typeset(inputs["numbers"], pictures, outputs["pdf"], outputs["html"])
        case "site":
            from attnsvm.publish.site import build

            folder = inputs["claims"].removesuffix("results/audit/claims.csv") or "."
            build.site(folder, params.captions, params.notes, output)
        case "pass_texts":
            from attnsvm.inspect.steps import pass_texts

            before, texts = (next(iter(snakemake.input.get(name, [])), None) for name in ("before", "texts"))
            job = params.folder, int(wildcards.layer), texts, params.settings
            pass_texts(*job, before, outputs["become"], outputs["layer"])
        case "measure":
            from attnsvm.inspect.steps import measure

            measure(wildcards.model, inputs["layer"], params.settings, output)
        case "gather":
            from attnsvm.inspect.steps import gather

            job = wildcards.model, params.folder, list(snakemake.input.layers), params.settings
            gather(*job, output.rpartition("/")[0])
        case "compare":
            from attnsvm.inspect.steps import compare

            compare(dict(zip(params.models, inputs["tables"], strict=True)), outputs["csv"], outputs["html"])
