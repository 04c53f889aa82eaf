"""Bundles: what goes in comes out where this code and configuration would have made it; else one sentence."""

import hashlib
import io
import json
import os
import tarfile

import pyarrow as pa
import pytest
from conftest import NAME, TARGET, Built, clone, results

from attnsvm import checksums
from attnsvm.errors import UserError
from attnsvm.pipeline import records
from attnsvm.publish.exchange import archive, bundle, manifest, unbundle

CSV = f"smoke/figures/{NAME}.csv"


@pytest.fixture
def packed(made_up, tmp_path):
    """The bundle of the made-up build."""
    bundle.write([TARGET], tmp_path / "one.tar.zst", "smoke", made_up.folder)
    return tmp_path / "one.tar.zst"


def unpacked(path):
    """Index and members of a bundle: {name: (TarInfo, bytes)}."""
    with (
        pa.input_stream(str(path), compression="zstd") as stream,
        tarfile.open(fileobj=io.BytesIO(stream.read())) as tar,
    ):
        found = {member.name: (member, tar.extractfile(member).read()) for member in tar}
    return json.loads(found.pop(archive.INDEX)[1]), found


def repacked(path, index, members, more=()):
    """Write a bundle of any content, honest or not; `more`: further (TarInfo, bytes)."""
    with pa.output_stream(str(path), compression="zstd") as stream, tarfile.open(fileobj=stream, mode="w|") as tar:
        content = json.dumps(index).encode()
        for member, data in [(_info(archive.INDEX, content), content), *members.values(), *more]:
            tar.addfile(member, io.BytesIO(data))
    return path


def _info(name, content=b"", kind=tarfile.REGTYPE, link=""):
    member = tarfile.TarInfo(name)
    member.size, member.type, member.linkname = len(content), kind, link
    return member


def refused(path, folder, **options):
    """The sentence of a bundle that must not be unpacked, and leaves the clone as it was."""
    before = results(folder)
    with pytest.raises(UserError) as caught:
        unbundle.read(path, folder, **options)
    assert results(folder) == before
    assert not list(folder.glob(".unbundle-*"))
    return str(caught.value)


def test_what_goes_in_comes_out_with_its_dates_its_checksums_and_its_records(made_up, packed, tmp_path):
    old = 1_000_000_000.25
    os.utime(made_up.folder / CSV, (old, old))
    bundle.write([TARGET], packed, "smoke", made_up.folder)
    fresh = clone(tmp_path / "fresh")
    taken = unbundle.read(packed, fresh)
    assert taken.whole
    there, here = results(made_up.folder), results(fresh)
    assert {path: data for path, data in here.items() if ".arrived" not in path} == {
        path: data for path, data in there.items() if ".metadata" not in path
    }
    names = {path.rpartition("/")[2] for path in there if ".metadata" in path}
    assert names == {path.rpartition("/")[2] for path in here if ".arrived" in path}
    assert (fresh / CSV).stat().st_mtime == old
    assert checksums.damaged([fresh]) == []
    assert checksums.beside(fresh / CSV).exists()


def test_a_file_that_is_here_with_the_same_bytes_stays_and_one_with_others_is_not_replaced(packed, tmp_path):
    fresh = clone(tmp_path / "fresh")
    assert len(unbundle.read(packed, fresh).files) > 10
    assert unbundle.read(packed, fresh).files == []
    (fresh / CSV).write_text("of the user")
    assert "is here already, with other bytes; delete it, or unpack in a fresh clone" in refused(packed, fresh)


def test_two_bundles_of_other_seeds_are_merged_and_their_tables_are_left_out(tmp_path):
    fresh = clone(tmp_path / "all", {"experiments": {NAME: {"problems": {"instances": 6}}}})
    for k, problems in enumerate(({"instances": 3}, {"instances": 3, "first_seed": 3})):
        half = Built(tmp_path / f"half{k}", problems)
        bundle.write([TARGET], tmp_path / f"{k}.tar.zst", "smoke", half.folder)
        taken = unbundle.read(tmp_path / f"{k}.tar.zst", fresh)
        assert not taken.whole
        assert {path.split("/")[3] for path in taken.files} == {f"seeds-{3 * k}-{3 * k + 2}"}
    wanted = {
        f"smoke/results/{NAME}/{block}/{stage}.npz"
        for block in ("seeds-0-2", "seeds-3-5")
        for stage in ("problems", "svm")
    }
    assert {path for path in results(fresh) if ".arrived" not in path} == wanted
    elsewhere = clone(tmp_path / "other", {"experiments": {NAME: {"problems": {"instances": 6, "first_seed": 60}}}})
    assert "none of its blocks of seeds is one of this configuration" in refused(tmp_path / "0.tar.zst", elsewhere)


def test_blocks_of_a_cluster_are_taken_with_the_number_of_blocks_they_were_made_with(tmp_path):
    many = Built(tmp_path / "cluster", scatter={NAME: 6})
    made = bundle.write([TARGET], tmp_path / "b.tar.zst", "smoke", many.folder)
    assert made.scatter == {NAME: 6}
    taken = unbundle.read(tmp_path / "b.tar.zst", clone(tmp_path / "fresh"))
    assert taken.whole
    assert taken.manifest.scatter == {NAME: 6}


def test_what_is_damaged_or_older_than_the_code_is_not_bundled(made_up, tmp_path, monkeypatch):
    target = tmp_path / "b.tar.zst"
    with pytest.raises(UserError, match="unknown figure 'feasability': did you mean 'feasibility'"):
        bundle.write(["figures/feasability"], target, "smoke", made_up.folder)
    with pytest.raises(UserError, match=r"smoke/figures/cone\.\w+: not built; run snakemake first"):
        bundle.write(["figures/cone"], target, "smoke", made_up.folder)
    record = made_up.folder / "smoke" / records.TRAVELLING / records.name(CSV)
    kept = record.read_bytes()
    record.write_bytes(kept.replace(b"'dpi'", b"'dip'"))
    with pytest.raises(UserError, match=f"{CSV}: built by other code or settings than here"):
        bundle.write([TARGET], target, "smoke", made_up.folder)
    record.unlink()
    with pytest.raises(UserError, match=f"{CSV}: Snakemake has no record of it"):
        bundle.write([TARGET], target, "smoke", made_up.folder)
    record.write_bytes(kept)
    (made_up.folder / CSV).write_text("other")
    with pytest.raises(UserError, match=f"{CSV}: damaged"):
        bundle.write([TARGET], target, "smoke", made_up.folder)
    assert not target.exists()


def test_other_settings_are_refused_by_name(packed, tmp_path):
    other = clone(tmp_path / "other", {"experiments": {NAME: {"problems": {"d": [1, 2]}}}})
    sentence = refused(packed, other)
    assert f"made with experiments.{NAME}.problems.d = " in sentence
    assert "and here it is [1, 2]; set it in config/config.yaml" in sentence
    other = clone(tmp_path / "other", {"figures": {"dpi": 72}})
    assert "made with figures.dpi = 100, and here it is 72" in refused(packed, other)
    file = tmp_path / "mine.yaml"
    file.write_text("")
    assert unbundle.read(packed, other, configfile=file).whole


def test_other_code_is_refused_by_name(packed, tmp_path, monkeypatch):
    index, members = unpacked(packed)
    changed = next(file for file in index["code"] if file.endswith("feasibility/svm.py"))
    index["code"][changed] = "0" * 64
    sentence = refused(repacked(tmp_path / "b.tar.zst", index, members), clone(tmp_path / "fresh"))
    assert f"made by other code (attnsvm {index['release']}" in sentence
    assert f"than is here: {changed}; check out that commit" in sentence


def test_a_record_that_names_other_params_is_refused_though_the_list_agrees(packed, tmp_path):
    index, members = unpacked(packed)
    name = f"smoke/{records.TRAVELLING}/{records.name(CSV)}"
    member, data = members[name]
    other = data.replace(b"'dpi': 100", b"'dpi': 101")
    assert other != data
    members[name] = member, other
    index["sha256"][name] = hashlib.sha256(other).hexdigest()
    sentence = refused(repacked(tmp_path / "b.tar.zst", index, members), clone(tmp_path / "fresh"))
    assert f"{CSV} was made by a job with other settings or inputs than here" in sentence


def test_an_altered_file_is_refused(packed, tmp_path):
    index, members = unpacked(packed)
    member, data = members[CSV]
    members[CSV] = member, bytes([data[0] ^ 1]) + data[1:]
    sentence = refused(repacked(tmp_path / "b.tar.zst", index, members), clone(tmp_path / "fresh"))
    assert f"{CSV} has another SHA-256 than its list says" in sentence


@pytest.mark.parametrize("part", [0.01, 0.3, 0.6, 0.95, 0.999])
def test_a_truncated_bundle_is_refused(packed, tmp_path, part):
    whole = packed.read_bytes()
    (tmp_path / "b.tar.zst").write_bytes(whole[: int(len(whole) * part)])
    assert "nothing is unpacked" in refused(tmp_path / "b.tar.zst", clone(tmp_path / "fresh"))


@pytest.mark.parametrize("place", range(5, 100, 10))
def test_a_flipped_bit_anywhere_is_refused_or_changes_no_file(packed, tmp_path, place):
    data = bytearray(packed.read_bytes())
    data[len(data) * place // 100] ^= 4
    (tmp_path / "b.tar.zst").write_bytes(data)
    fresh = clone(tmp_path / "fresh")
    try:
        unbundle.read(tmp_path / "b.tar.zst", fresh)
    except UserError:
        assert results(fresh) == {}
    else:
        assert checksums.damaged([fresh]) == []


def test_what_is_no_bundle_is_refused(tmp_path):
    fresh = clone(tmp_path / "fresh")
    (tmp_path / "text").write_text("no archive")
    assert "damaged or truncated" in refused(tmp_path / "text", fresh)
    assert "cannot be read" in refused(tmp_path / "nowhere", fresh)
    with (
        pa.output_stream(str(tmp_path / "tar"), compression="zstd") as stream,
        tarfile.open(fileobj=stream, mode="w|") as tar,
    ):
        tar.addfile(_info("other.json"))
    assert "it does not begin with bundle.json" in refused(tmp_path / "tar", fresh)


BAD = (
    *("../evil", "/etc/evil", "results/../../evil", "smoke/results/../../evil", "smoke/results/.hidden"),
    *("config/config.yaml", "attnsvm/svm/checker.py", "smoke/results", "smoke/results//x", "results/feasibility/x.csv"),
)


@pytest.mark.parametrize("name", BAD)
def test_a_name_outside_the_results_of_its_scale_is_refused(packed, tmp_path, name):
    index, members = unpacked(packed)
    index["sizes"][name], index["sha256"][name] = 4, hashlib.sha256(b"evil").hexdigest()
    path = repacked(tmp_path / "b.tar.zst", index, members, [(_info(name, b"evil"), b"evil")])
    assert f"it names {name!r}, which is not a place for results" in refused(path, clone(tmp_path / "deep/fresh"))
    assert not list(tmp_path.rglob("evil"))


def test_a_record_of_a_file_elsewhere_is_refused():
    for output in ("../evil", "attnsvm/svm/checker.py"):
        name = f"smoke/{records.TRAVELLING}/{records.name(output)}"
        assert not manifest._inside(name, "smoke/")
    assert manifest._inside(f"smoke/{records.TRAVELLING}/{records.name(CSV)}", "smoke/")
    assert not manifest._inside(f"smoke/{records.TRAVELLING}/no-record", "smoke/")


@pytest.mark.parametrize(
    ("kind", "link"),
    [(tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, CSV), (tarfile.DIRTYPE, ""), (tarfile.CHRTYPE, "")],
)
def test_a_link_a_folder_or_a_device_is_refused(packed, tmp_path, kind, link):
    index, members = unpacked(packed)
    members[CSV] = _info(CSV, kind=kind, link=link), b""
    sentence = refused(repacked(tmp_path / "b.tar.zst", index, members), clone(tmp_path / "fresh"))
    assert f"{CSV} is no plain file" in sentence


def test_members_that_are_unlisted_missing_or_twice_are_refused(packed, tmp_path):
    index, members = unpacked(packed)
    fresh, path = clone(tmp_path / "fresh"), tmp_path / "b.tar.zst"
    more = [(_info("smoke/figures/more.csv", b"1"), b"1")]
    assert "it holds 'smoke/figures/more.csv', which its list has not" in refused(
        repacked(path, index, members, more), fresh
    )
    assert "or twice" in refused(repacked(path, index, members, [members[CSV]]), fresh)
    fewer = {name: one for name, one in members.items() if name != CSV}
    assert f"1 of its files are missing, {CSV} among them" in refused(repacked(path, index, fewer), fresh)


def test_a_date_that_no_file_can_have_is_refused(packed, tmp_path):
    index, members = unpacked(packed)
    _, data = members[CSV]
    members[CSV] = _info(CSV, data), data
    members[CSV][0].mtime = 1e300
    sentence = refused(repacked(tmp_path / "b.tar.zst", index, members), clone(tmp_path / "fresh"))
    assert "it is damaged or truncated" in sentence


def test_a_bundle_larger_than_the_limit_is_refused_before_anything_is_unpacked(packed, tmp_path):
    sentence = refused(packed, clone(tmp_path / "fresh"), limit=100)
    assert "it unpacks to 0.0 GB, more than 1e-07 GB; raise --limit if you expect that" in sentence


def test_a_bomb_is_refused_after_what_its_list_allows(packed, tmp_path):
    """A file that is larger than listed, and a header that goes on for ever, are not read to their ends."""
    index, members = unpacked(packed)
    member, _ = members[CSV]
    member.size = 10**7
    members[CSV] = member, bytes(10**7)
    path, fresh = tmp_path / "b.tar.zst", clone(tmp_path / "fresh")
    assert "is no plain file of" in refused(repacked(path, index, members), fresh)
    index, members = unpacked(packed)
    long = {"path": "x" * 10**7}
    with (
        pa.output_stream(str(path), compression="zstd") as stream,
        tarfile.open(fileobj=stream, mode="w|", pax_headers=long) as tar,
    ):
        content = json.dumps(index).encode()
        tar.addfile(_info(archive.INDEX, content), io.BytesIO(content))
    assert path.stat().st_size < 10**5
    assert "it unpacks to more than it says" in refused(path, fresh)


@pytest.mark.parametrize("key", ["format", "sizes", "sha256", "config", "scatter", "code"])
def test_a_list_that_is_not_whole_is_refused(packed, tmp_path, key):
    index, members = unpacked(packed)
    for wrong in ({k: v for k, v in index.items() if k != key}, index | {key: 7}, index | {key: ["x"]}):
        sentence = refused(repacked(tmp_path / "b.tar.zst", wrong, members), clone(tmp_path / "fresh"))
        assert "its list is not whole" in sentence or "and this release reads 1" in sentence
