from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.publish.paper import software, typesetting

    given, out = snakemake.input, snakemake.output
    pictures = dict(zip(snakemake.params.figures, given.get("pictures", []), strict=True))
    typesetting.typeset(given.numbers, pictures, out.pdf, out.html)
    software.write(given.numbers, out.software)
