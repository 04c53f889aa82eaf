"""`snakemake crate`: figures, tables and workflow in one folder, described by a Workflow Run RO-Crate for an archive.

Every figure is the result of an action: the workflow, run on the tables of its experiments, with its settings, from the
minute when Snakemake began to draw it to the minute when it had. What nobody recorded, such as who started the run, is
left out. https://w3id.org/ro/wfrun/workflow
"""

import json
from datetime import UTC, datetime
from pathlib import Path

from rocrate.model import ContextEntity
from rocrate.rocrate import ROCrate

from attnsvm import checksums
from attnsvm.errors import UserError
from attnsvm.pipeline import cards, records, targets
from attnsvm.pipeline.hashes.dependencies import ROOT
from attnsvm.publish.documents import codemeta
from attnsvm.reading import yaml_file
from attnsvm.writing import filling

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
# What of the repository goes with the results: the workflow, what it is asked for, what it runs in, whom to cite.
CODE = (
    *("Snakefile", "workflow", "config", "requirements.lock", "environment.yml"),
    *("CITATION.cff", "codemeta.json", "LICENSE", "README.md"),
)
KINDS = {
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "csv": "text/csv",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "html": "text/html",
    "md": "text/markdown",
    "py": "text/x-python",
    "css": "text/css",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "cff": "application/yaml",
}
PLAIN = "text/plain"  # of any other file
TABLES = ("measures.parquet", "certificates.csv", "outcomes.csv", "cells.csv")
AUDIT = ("claims.csv", "audit.html", "audit.md")


def write(folder: str | Path, figures: list[str], output: str | Path) -> None:
    """Write the crate of a build.

    Args:
        folder: of the scale, with figures/ and results/ in it.
        figures: their names; "audit" for that of the claims.
        output: the folder to write, a new or an empty one.
    """
    folder = Path(folder)
    crate = ROCrate(gen_preview=False, version="1.1")
    crate.metadata.extra_contexts.append(TERMS)
    origins = {name: json.loads((folder / f"figures/{name}.json").read_text("utf-8")) for name in figures}
    cited = yaml_file(ROOT / "CITATION.cff")
    workflow = _workflow(crate, cited, origins)
    for name in CODE[1:]:
        files = [ROOT / name] if (ROOT / name).is_file() else sorted((ROOT / name).rglob("*"))
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                path = file.relative_to(ROOT).as_posix()
                crate.add_file(file, path, properties={"name": path, "encodingFormat": _format(path)})
    ended = [_figure(crate, workflow, folder, name, origins[name]) for name in figures]
    _about(crate, cited, max(ended))
    with filling(output) as made:
        crate.write(made)


def _workflow(crate: ROCrate, cited: dict, origins: dict[str, dict]):
    packages = next(iter(origins.values()))["packages"]
    workflow = crate.add_workflow(
        ROOT / CODE[0], CODE[0], main=True, lang="snakemake", lang_version=packages["snakemake"]
    )
    commits = sorted({one["code"]["commit"] for one in origins.values()} - {None})
    workflow["name"] = cited["title"]
    workflow["encodingFormat"] = PLAIN
    workflow["license"] = codemeta.license_url(cited)
    workflow["version"] = str(cited["version"])
    workflow["creator"] = _people(crate, cited)
    if address := codemeta.repository(cited):
        workflow["url"] = address
    if commits:  # the last commits that touched the files behind the figures
        workflow["identifier"] = commits
    libraries = {name: version for name, version in packages.items() if version and name != "snakemake"}
    workflow["softwareRequirements"] = [
        _entity(crate, _library(name, version)) for name, version in sorted(libraries.items())
    ]
    return workflow


def _library(name: str, version: str) -> dict:
    """A library as PyPI has it, and Python itself; what stands behind a + in a version PyPI does not know."""
    base = (
        "https://www.python.org/downloads/release/python-" if name == "python" else f"https://pypi.org/project/{name}/"
    )
    address = base + (version.replace(".", "") if name == "python" else version.partition("+")[0])
    about = {"@id": address, "@type": "SoftwareApplication", "name": name, "url": address}
    return about | {"softwareVersion": version}


def _figure(crate: ROCrate, workflow, folder: Path, name: str, origin: dict) -> str:
    """Add a figure, what it was made from, and the action between them; returns when that ended."""
    title = "every claim and its verdict" if name == "audit" else cards.read(name).title
    inputs = [f"results/{one}/{table}" for one in targets.behind(name) for table in TABLES]
    drawn = [f"figures/{name}.{kind}" for kind in (*targets.drawn(name), "json")]
    if name == "audit":
        drawn += [f"results/audit/{file}" for file in AUDIT]
    began, ended = _times(folder, drawn)
    settings = origin["config"]["experiments"] if name != "audit" else {}
    values = [
        _entity(
            crate,
            {"@id": f"#{one}.{stage}.{key}", "@type": "PropertyValue", "name": f"{one}.{stage}.{key}"} | _value(value),
        )
        for one, stages in settings.items()
        for stage, keys in stages.items()
        for key, value in keys.items()
    ]
    crate.add_action(
        workflow,
        f"#{name}",
        object=[*(_file(crate, folder, path) for path in inputs), *values],
        result=[_file(crate, folder, path, title) for path in drawn],
        properties={
            "name": f"{name}: {title}",
            "description": f"code with SHA-256 {origin['code']['sha256']}, on {origin['machine']['cpu']}",
            "startTime": began,
            "endTime": ended,
            "actionStatus": "http://schema.org/CompletedActionStatus",
        },
    )
    return ended


def _value(value) -> dict:
    return {"value": value if isinstance(value, int | float | str) else json.dumps(value)}


def _times(folder: Path, paths: list[str]) -> tuple[str, str]:
    """When Snakemake began the first job that made the files, and when the last had ended, in UTC."""
    found = []
    for path in paths:
        own = folder / records.TRAVELLING / records.name((folder / path).as_posix())
        try:
            record = json.loads(own.read_text("utf-8"))
            found.append((record["starttime"], record["endtime"]))
        except (OSError, ValueError, KeyError):
            changed = (folder / path).stat().st_mtime
            found.append((changed, changed))
    began, ended = min(one for one, _ in found), max(one for _, one in found)
    return _said(began), _said(ended)


def _said(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _file(crate: ROCrate, folder: Path, path: str, title: str = ""):
    """A file of the build with its size and its SHA-256; added once."""
    if (known := crate.dereference(path)) is not None:
        return known
    if not (folder / path).exists():
        raise UserError(f"{path}: missing; run snakemake to build it")
    kind = Path(path).suffix[1:]
    size = str((folder / path).stat().st_size)
    about = {"name": f"{title} ({kind})" if title else path, "encodingFormat": _format(path), "contentSize": size}
    return crate.add_file(folder / path, path, properties=about | {"sha256": checksums.of(folder / path)})


def _format(path: str) -> str:
    return KINDS.get(Path(path).suffix[1:], PLAIN)


def _about(crate: ROCrate, cited: dict, ended: str) -> None:
    """What the crate as a whole says: title, licence, people, the paper."""
    url = codemeta.license_url(cited)
    crate.name = f"{cited['title']}: figures, tables and workflow"
    crate.description = cited.get(
        "abstract", "Every figure with its numbers, the tables behind it, and the workflow that made both."
    )
    crate.datePublished = datetime.fromisoformat(str(cited.get("date-released", ended)))
    crate.license = crate.add(
        ContextEntity(crate, url, {"@type": "CreativeWork", "name": cited["license"], "url": url})
    )
    root = crate.root_dataset
    root["author"] = _people(crate, cited)
    root["citation"] = _one([_entity(crate, codemeta.publication(one)) for one in cited.get("references", ())])
    root["mentions"] = crate.get_by_type("CreateAction")
    crate.dereference("README.md")["about"] = root
    root["conformsTo"] = [
        _entity(crate, {"@id": one, "@type": "CreativeWork", "name": name, "version": one.rpartition("/")[2]})
        for one, name in PROFILES.items()
    ]


def _people(crate: ROCrate, cited: dict):
    return _one([_entity(crate, codemeta.person(one)) for one in cited["authors"]])


def _one(entities: list):
    """A list as JSON-LD would have it: of one thing, that thing."""
    return entities[0] if len(entities) == 1 else entities


def _entity(crate: ROCrate, described: dict):
    """An entity of the graph, those inside it first; one that is there already is taken."""
    name = described.get("@id") or "#" + described["name"].replace(" ", "-")
    if (known := crate.dereference(name)) is not None:
        return known
    own = {key: value for key, value in described.items() if key != "@id"}
    if "author" in own:
        own["author"] = [_entity(crate, one) for one in own["author"]]
    return crate.add(ContextEntity(crate, name, own))
