"""Bundles: ordinary archives of files with their records, of which a clone believes what its code would have made."""

import io
import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest
from in_process import read_by, save_records

from attnsvm import command
from attnsvm.pipeline import job_records
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import TABLES, Plan
from attnsvm.publish.exchange import bundle
from attnsvm.system import checksums
from attnsvm.system.errors import UserError
from attnsvm.system.store import save_text

NAME = "feasibility"
TARGET, CSV, TABLE = f"figures/{NAME}", f"smoke/figures/{NAME}.csv", f"smoke/results/{NAME}/{TABLES[0]}"
PLAN = Plan(resolve({"scale": "smoke"}), {})


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """The folder, in which one now is, of a build that nobody computed: made-up bytes with records of their jobs."""
    folder = tmp_path / "build"
    todo = [*PLAN.target(TARGET), *(TABLE.replace(TABLES[0], other) for other in TABLES)]
    while todo:
        path = todo.pop()
        save_text(folder / path, f"content of {path}")
        todo += read_by(path, PLAN)
    save_records(folder, PLAN)
    monkeypatch.chdir(folder)
    return folder


def unpacked(archive, folder):
    """The files that tar leaves of an archive in a new folder, without the hidden ones; it may refuse some."""
    folder.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", folder], check=False, capture_output=True)
    found = (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    return {path for path in found if not path.endswith(".sha256")}


def test_what_tar_unpacks_elsewhere_is_up_to_date_there(made_up, tmp_path, monkeypatch, capsys):
    assert command.main(["bundle", TARGET, "--out", "one.tar.gz", "--scale", "smoke"]) == 0
    said = capsys.readouterr().out
    assert "in a clone: tar -xf one.tar.gz" in said
    assert f"SHA-256: {checksums.of('one.tar.gz')}" in said
    os.utime(CSV, (4e9, 4e9))
    files = bundle.write([TARGET], Path("again.tar.gz"), "smoke")
    assert Path("again.tar.gz").read_bytes() == Path("one.tar.gz").read_bytes(), "dates do not travel"
    assert unpacked("one.tar.gz", tmp_path / "fresh") == {*files}
    assert len(files) == 14
    monkeypatch.chdir(tmp_path / "fresh")
    assert {path: job_records.stale(path, PLAN.made(path)) for path in files} == dict.fromkeys(files, "")
    assert checksums.damaged(["smoke"]) == []
    assert {os.stat(path).st_mtime for path in files} == {bundle.DATE}


def test_blocks_that_were_dropped_are_not_missed(made_up):
    whole = bundle.write([TARGET], Path("b.tar.gz"), "smoke")
    blocks = [path for path in whole if path.endswith(".npz")]
    for path in blocks:
        os.remove(path)
    assert bundle.write([TARGET], Path("b.tar.gz"), "smoke") == sorted({*whole} - {*blocks})


def test_what_is_not_built_damaged_or_without_a_record_is_not_bundled(made_up):
    def refused(target=TARGET, out="b.tar.gz"):
        with pytest.raises(UserError) as caught:
            bundle.write([target], Path(out), "smoke")
        return str(caught.value)

    again = f"run first: snakemake {TARGET} --config scale=smoke"
    assert "unknown figure 'feasability': did you mean 'feasibility'" in refused("figures/feasability")
    assert refused("figures/cone") == f"smoke/figures/cone.pdf: not built; {again.replace(NAME, 'cone')}"
    with pytest.raises(UserError, match=r"^runs/a/figures/cone.pdf: not .* figures/cone --config run=a$"):
        bundle.write(["figures/cone"], Path("b.tar.gz"), run="a")
    assert "name it so" in refused(out="b.tar.zst")
    Path(TABLE).write_text("other")
    assert refused() == f"{TABLE}: damaged ({checksums.DIFFERS}); {again}"
    save_text(TABLE, "other")
    assert refused() == f"{TABLE}: {job_records.UNKNOWN}; {again}"
    assert not Path("b.tar.gz").exists()


def member(name, data=b"", kind=tarfile.REGTYPE, link=""):
    """A forged member of an archive."""
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(data), kind, link
    return info, data


BESIDE, OTHER = (checksums.beside(path).as_posix() for path in (CSV, TABLE))
RECORD = json.dumps({"made": PLAN.made(CSV), "inputs": {}, "log": ""})
FORGED = {
    "other bytes": lambda _: [member(CSV, b"other")],
    "an older record": lambda old: [member(BESIDE, old[BESIDE].replace(PLAN.made(CSV).encode(), b"0" * 64))],
    "the record of another file": lambda old: [member(BESIDE, old[OTHER])],
    "no record": lambda old: [member(BESIDE, old[BESIDE].partition(b"\n")[0] + b"\n")],
    "no checksum": lambda _: [member(BESIDE, f"\n# {RECORD}\n".encode())],
    "another table behind it": lambda old: [member(OTHER, old[OTHER].replace(old[OTHER][:64], b"0" * 64))],
    "a link": lambda _: [member(CSV, kind=tarfile.SYMTYPE, link=f"{NAME}.png")],
    "a link to nowhere": lambda _: [member(CSV, kind=tarfile.SYMTYPE, link="nowhere")],
    "a hard link": lambda _: [member(CSV, kind=tarfile.LNKTYPE, link=TABLE)],
    "a folder": lambda _: [member(CSV, kind=tarfile.DIRTYPE)],
    "a linked record": lambda _: [member(BESIDE, kind=tarfile.SYMTYPE, link="/dev/null")],
    "deep JSON": lambda old: [member(BESIDE, old[BESIDE].partition(b"\n")[0] + b"\n# " + b"[" * 10**6)],
    "no text": lambda _: [member(BESIDE, b"\xff\n# \xff")],
}


@pytest.mark.parametrize("how", FORGED)
def test_what_is_forged_is_built_anew(made_up, tmp_path, monkeypatch, how):
    bundle.write([TARGET], Path("b.tar.gz"), "smoke")
    with tarfile.open("b.tar.gz") as tar:
        old = {one.name: tar.extractfile(one).read() for one in tar}
    assert not job_records.wrong([CSV], PLAN.made(CSV))
    new = FORGED[how](old)
    with tarfile.open("forged.tar", "w") as tar:
        for info, data in [member(*one) for one in old.items() if one[0] not in {info.name for info, _ in new}] + new:
            tar.addfile(info, io.BytesIO(data))
    assert unpacked("forged.tar", tmp_path / "fresh")
    monkeypatch.chdir(tmp_path / "fresh")
    assert job_records.wrong([CSV], PLAN.made(CSV))
