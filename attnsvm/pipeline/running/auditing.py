"""The jobs that read claims: the audit, and the claims of a figure under other settings."""

from pathlib import Path

from attnsvm.pipeline import answers, cards, elsewhere, targets
from attnsvm.pipeline.running.tables import drawn_table
from attnsvm.system.errors import UserError
from attnsvm.system.store import load_cells, load_csv, save_csv, save_text


def claims(outputs: dict[str, str], folder: str = ".", claimed: str = "") -> None:
    """Check claims against the csv files under `folder`; write paths "csv" and "html".

    Args:
        claimed: an experiment, or a group of figures: its claims alone; "": those of every run.
    """
    names = targets.claiming(claimed)
    left_out = {} if claimed else {card.name: card.title for card in cards.optional() if "claims" in card.modules}
    from attnsvm.audit import elsewhere, pages, retired
    from attnsvm.audit.evaluation import Tables
    from attnsvm.audit.table import audit, certificates

    shown = targets.shown(claimed) if claimed else targets.figures()
    tables = Tables(Path(folder), draws={figure: targets.behind(figure) for figure in shown})
    own = {name: cards.read(name).claims for name in names}
    table = audit(tables, own)
    where = elsewhere.where((claim for some in own.values() for claim in some), elsewhere.released())
    proofs = certificates(tables, targets.measured(claimed))
    gone = None if claimed else retired.claims()
    save_csv(outputs["csv"], table)
    save_text(outputs["html"], pages.html(table, proofs, left_out, where, _is_smoke(folder), gone))


def cells(
    name: str, variants: dict[str, list[str]], tables: dict[str, dict], files: list[str], outputs: dict[str, str]
) -> None:
    """Read the claims of a figure under other settings; write paths "csv" and "certificates" (csv: how many solves of
    every variant ended how).

    Args:
        variants: {name: [kind, words]}.
        tables: {experiment of a variant: settings of its measures}, of every variant those that the figure draws.
        files: what was measured of their blocks.
    """
    rows, proofs = _read_elsewhere(name, variants, tables, files)
    save_csv(outputs["csv"], rows)
    save_csv(outputs["certificates"], proofs)


def matrix(
    name: str,
    variants: dict[str, list[str]],
    tables: dict[str, dict],
    inputs: dict[str, list[str]],
    outputs: dict[str, str],
) -> None:
    """Say where the claims of a figure hold; write paths "csv", "certificates" and "html".

    Args:
        name: of the figure; "": put the matrices of all figures together, which are the cells then.
        variants, tables: as of `cells`, and tables of variants that are run on.
        inputs: "cells" and "certificates" by `cells`, "longer": what was measured of variants that are run on.
    """
    import pandas as pd

    names = [name] if name else targets.tried()
    claims = {one: cards.read(one).claims for one in names}
    from attnsvm.audit import elsewhere as audit

    rows = pd.concat([load_csv(path) for path in inputs["cells"]], ignore_index=True)
    proofs = pd.concat([load_csv(path) for path in inputs["certificates"]], ignore_index=True)
    if name and any(one.endswith(elsewhere.LONGER) for one in tables):
        files, end = inputs.get("longer", []), elsewhere.LONGER
        on = {one: words for one, words in variants.items() if any(f"/{one}{end}/" in path for path in files)}
        longer, more = _read_elsewhere(name, on, tables, files, end)
        rows, proofs = audit.run_on(rows, longer), pd.concat([proofs, more], ignore_index=True)
    statements = {claim.key: claim.statement for own in claims.values() for claim in own}
    page = audit.html(rows, statements, _is_smoke(outputs["html"].partition("results/")[0]))
    save_csv(outputs["csv"], rows)
    save_csv(outputs["certificates"], proofs)
    save_text(outputs["html"], page)


def _is_smoke(folder: str) -> bool:
    """Whether a run's folder is that of tiny settings, see `attnsvm.pipeline.plan.folder`."""
    return Path(folder).name == "smoke"


def _read_elsewhere(
    name: str, variants: dict[str, list[str]], tables: dict[str, dict], files: list[str], end: str = ""
) -> tuple:
    """The cells of a figure's claims and variants, and how many solves ended how; `end`: of the variants' names."""
    import pandas as pd

    from attnsvm.audit import elsewhere as audit
    from attnsvm.pipeline.running import gathering

    frames, proofs, none = {}, {}, pd.DataFrame(columns=[*answers.COLUMNS, "experiment"])
    for variant in variants:
        made, counted = {}, [none]
        for drawn in cards.read(name).draws:
            one = f"{cards.ELSEWHERE}/{drawn}/{variant}{end}"
            blocks_of = (path for path in files if f"/{one}/" in f"/{path}")
            measured = (gathering.Block(**load_cells(path)["tables"]) for path in blocks_of)
            gathered = gathering.gather(one, measured, nothing=True)
            try:
                made[drawn] = drawn_table(one, gathered.measures, tables[one])
            except UserError:  # too few instances for a table: nothing can be checked
                made[drawn] = pd.DataFrame()
            counted.append(answers.total(gathered.certificates, one).assign(experiment=one))
        frames[variant], proofs[variant] = _as_drawn(made), pd.concat(counted, ignore_index=True)
    words = {variant: (kind, text) for variant, (kind, text) in variants.items()}
    rows = audit.matrix(name, cards.read(name).claims, words, frames, proofs)
    return rows, pd.concat([none, *proofs.values()], ignore_index=True)


def _as_drawn(frames: dict):
    """The table of a figure as its csv would have it, from those of its experiments."""
    from io import StringIO

    import pandas as pd

    named = len(frames) > 1
    whole = pd.concat(
        [frame.assign(experiment=one) if named else frame for one, frame in frames.items()], ignore_index=True
    )
    return pd.read_csv(StringIO(whole.to_csv(index=False))) if len(whole) else whole


def _claims(job) -> None:
    claimed = job.wildcards.get("claimed", "")
    folder = job.outputs["csv"].removesuffix(f"results/audit/{claimed or 'claims'}.csv")
    claims(job.outputs, folder or ".", claimed)


def _matrix(job) -> None:
    parts = {part: [files] if isinstance(files, str) else list(files) for part, files in job.inputs.items()}
    matrix(job.wildcards.get("matrixed", ""), job.params.variants, job.params.tables, parts, job.outputs)


JOBS = {
    "claims": _claims,
    "claims_of": _claims,
    "cells": lambda job: cells(job.name, job.params.variants, job.params.tables, list(job.input), job.outputs),
    "matrix": _matrix,
    "matrices": _matrix,
}
