"""Bundles: what goes in comes out where this code and configuration would have made it; else one sentence."""

import copy
import errno
import hashlib
import io
import json
import os
import random
import re
import signal
import tarfile
from collections import Counter

import pyarrow as pa
import pytest
from interrupted import ended_at, left_by_kills
from made_up import NAME, TARGET, Built, clone, results

from attnsvm import command
from attnsvm.pipeline import job_records
from attnsvm.publish.exchange import archive, bundle, lineage, unbundle
from attnsvm.system import checksums
from attnsvm.system.errors import UserError

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


def repacked(path, index, members, more=(), indent=None):
    """Write a bundle of any content, honest or not; `more`: further (TarInfo, bytes)."""
    with pa.output_stream(str(path), compression="zstd") as stream, tarfile.open(fileobj=stream, mode="w|") as tar:
        content = json.dumps(index, indent=indent).encode()
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


def of_results(found):
    """The part of `results` that is no record."""
    return {path: data for path, data in found.items() if "/.metadata/" not in path and path[:1] != "."}


def test_what_goes_in_comes_out_with_its_checksums_its_records_and_dates_of_today(made_up, packed, tmp_path):
    future = 4_000_000_000
    os.utime(made_up.folder / CSV, (future, future))
    again = tmp_path / "again.tar.zst"
    bundle.write([TARGET], again, "smoke", made_up.folder)
    assert again.read_bytes() == packed.read_bytes(), "dates do not travel"
    fresh = clone(tmp_path / "fresh")
    taken = unbundle.read(packed, fresh)
    assert taken.whole
    there, here = results(made_up.folder), results(fresh)
    assert {*there} == {*here}
    assert of_results(here) == of_results(there)
    for path in {*here} - {*of_results(here)}:
        ours, theirs = json.loads(here[path]), json.loads(there[path])
        assert {key: ours[key] for key in ("input", "params")} == {key: theirs[key] for key in ("input", "params")}
        sums = {one: checksums.of(fresh / one) for one in ours["input"]}
        assert ours["input_checksums"] == {one: f"sha256:{value}" for one, value in sums.items()}
    assert len({(fresh / path).stat().st_mtime_ns for path in taken.files}) == 1
    assert (fresh / CSV).stat().st_mtime < future
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
    assert {*of_results(results(fresh))} == wanted
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
    with pytest.raises(
        UserError, match=r"cone\.\w+: not built; run first: snakemake figures/cone --config scale=smoke$"
    ):
        bundle.write(["figures/cone"], target, "smoke", made_up.folder)
    record = made_up.folder / "smoke" / job_records.TRAVELLING / job_records.name(CSV)
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


def test_a_file_of_a_job_with_other_params_is_refused_though_code_and_settings_agree(packed, tmp_path):
    index, members = unpacked(packed)
    index["files"][CSV]["params"] = "0" * 64
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
    index["files"][name] = index["files"][CSV] | {"size": 4, "sha256": hashlib.sha256(b"evil").hexdigest()}
    path = repacked(tmp_path / "b.tar.zst", index, members, [(_info(name, b"evil"), b"evil")])
    assert f"it names {name!r}, which is not a place for results" in refused(path, clone(tmp_path / "deep/fresh"))
    assert not list(tmp_path.rglob("evil"))


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


def test_a_date_that_no_file_can_have_is_no_matter(packed, tmp_path):
    index, members = unpacked(packed)
    members[CSV][0].mtime = 1e300
    fresh = clone(tmp_path / "fresh")
    assert unbundle.read(repacked(tmp_path / "b.tar.zst", index, members), fresh).whole


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


def test_a_long_list_is_read(packed, tmp_path):
    """That of a whole build has megabytes."""
    index, members = unpacked(packed)
    path = repacked(tmp_path / "b.tar.zst", index, members, indent=2000)
    assert len(json.dumps(index, indent=2000)) > 4 * archive.HEADER
    assert unbundle.read(path, clone(tmp_path / "fresh")).whole


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


HOSTILE = (
    *(None, True, -1, 10**40, 1.5, "", "x" * 10**5, "\x1b[2J", "a; rm -rf /\n", "\ud800", "../../evil"),
    *([], [[]], {}, {"": {}}, {"\x1b]0;x": 1}, {"__proto__": []}),
)


def test_hostile_lists_end_with_one_sentence_or_change_nothing(packed, tmp_path, capsys, monkeypatch):
    """Each of 600 has another value somewhere, or another key: never a traceback, never a character that steers."""
    index, members = unpacked(packed)
    chance, everywhere = random.Random(48), list(places(index))
    fresh, path = clone(tmp_path / "fresh"), tmp_path / "b.tar.zst"
    monkeypatch.chdir(fresh)
    few = [one for one in everywhere if one[:1] not in [("code",), ("files",)] or chance.random() < 0.05]
    refusals = 0
    for k in range(600):
        wrong, place = copy.deepcopy(index), few[k % len(few)]
        value = copy.deepcopy(chance.choice(HOSTILE))
        if not place:
            wrong = value
        else:
            above = wrong
            for key in place[:-1]:
                above = above[key]
            if isinstance(above, dict) and chance.random() < 0.3 and isinstance(value, str):
                above[value] = above.pop(place[-1])
            else:
                above[place[-1]] = value
        status = command.main(["unbundle", str(repacked(path, wrong, members))])
        said = capsys.readouterr()
        assert status in (0, 1), (place, value)
        refusals += status
        lines = (said.err if status else said.out).splitlines()
        assert len(lines) == (1 if status else 2), (place, value)
        assert all(line.isprintable() for line in lines), (place, value)
        assert not list(tmp_path.rglob("*evil*"))
        for made in fresh.iterdir():
            if made.name != "config":
                assert not status or k, "nothing is unpacked from what is refused"
    assert refusals > 500


@pytest.mark.parametrize(
    "text", ['{"format": 2', "[" * 10**5, '{"format": NaN}', '{"format": 1e999}', "\xff", "nul", "7"]
)
def test_what_is_no_list_at_all_is_refused(tmp_path, text):
    content = text.encode("latin-1")
    with (
        pa.output_stream(str(tmp_path / "b"), compression="zstd") as stream,
        tarfile.open(fileobj=stream, mode="w|") as tar,
    ):
        tar.addfile(_info(archive.INDEX, content), io.BytesIO(content))
    assert "nothing is unpacked" in refused(tmp_path / "b", clone(tmp_path / "fresh"))


@pytest.mark.parametrize("limit", ["nan", "inf", "-1", "0", "1e400", "x", ""])
def test_a_limit_that_is_none_is_refused(packed, tmp_path, limit, capsys, monkeypatch):
    monkeypatch.chdir(clone(tmp_path / "fresh"))
    with pytest.raises(SystemExit) as ended:
        command.main(["unbundle", str(packed), f"--limit={limit}"])
    assert ended.value.code == 2
    assert "expected a size in GB" in capsys.readouterr().err


def sound(folder, made_up):
    """Nothing is half there: every file has its bytes, its checksum, and the record of this clone's own job."""
    files = of_results(results(folder))
    for path, data in files.items():
        if "/." not in path:
            assert data == (made_up.folder / path).read_bytes(), path
            assert checksums.beside(folder / path).exists(), path
            record = json.loads((folder / "smoke" / job_records.TRAVELLING / job_records.name(path)).read_text())
            assert record["params"] == lineage.params(path, made_up.plan), path
            assert not (folder / job_records.OWN / job_records.name(path)).exists(), path
    return {path for path in files if "/." not in path}


def with_old_records(folder, made_up):
    """A clone with older records of Snakemake, which do not speak for what arrives; and the files that arrive."""
    whole = {*of_results(results(made_up.folder))}
    for path in whole:
        old = clone(folder) / job_records.OWN / job_records.name(path)
        old.parent.mkdir(parents=True, exist_ok=True)
        old.write_text('{"input": [], "params": ["of another time"]}')
    return folder, whole


def test_wherever_it_is_killed_a_file_is_not_there_or_there_with_all_that_belongs_to_it(made_up, packed, tmp_path):
    fresh, whole = with_old_records(tmp_path / "fresh", made_up)
    states = left_by_kills(lambda: unbundle.read(packed, fresh), fresh, tmp_path / "states")
    assert len(states) > 4 * len(whole)
    for number in (1, len(states) // 2, len(states)):
        killed, _ = with_old_records(tmp_path / f"killed{number}", made_up)
        assert ended_at(number, signal.SIGKILL, lambda killed=killed: unbundle.read(packed, killed)) == "killed"
        ours, theirs = (
            {re.sub(r"\.\d+\.tmp$", "", path) for path in results(at)} for at in (killed, states[number - 1])
        )
        assert ours == theirs
    for state in states:
        sound(state, made_up)
        unbundle.read(packed, state)
        assert sound(state, made_up) == whole


def test_wherever_the_disk_is_full_a_file_is_not_there_or_there_with_all_that_belongs_to_it(made_up, packed, tmp_path):
    ends = Counter()
    for number in range(1, 1000):
        fresh, whole = with_old_records(tmp_path / f"fresh{number}", made_up)
        before = {*fresh.rglob("*")}
        end = ended_at(number, errno.ENOSPC, lambda fresh=fresh: unbundle.read(packed, fresh))
        there = sound(fresh, made_up)
        if end == "done":
            break
        ends[end] += 1
        if end == "refused":
            assert {*fresh.rglob("*")} <= before, "what was refused leaves nothing behind"
        assert there == whole or end != "endured"
        unbundle.read(packed, fresh)
        assert sound(fresh, made_up) == whole
    assert ends["refused"] > 4 * len(whole)


def test_results_on_another_disk_and_behind_links(made_up, packed, tmp_path, small_disk):
    """Of folders and of one experiment; and a disk that is too small for all."""
    disk = tmp_path / "disk"
    small_disk(disk, "size=4m")
    fresh = clone(tmp_path / "fresh")
    for name in ("smoke/figures", f"smoke/results/{NAME}"):
        (disk / name).mkdir(parents=True)
        (fresh / name).parent.mkdir(parents=True, exist_ok=True)
        (fresh / name).symlink_to(disk / name)
    taken = unbundle.read(packed, fresh)
    assert (disk / CSV).read_bytes() == (made_up.folder / CSV).read_bytes()
    assert all(path.exists() for path in (fresh / name for name in taken.files))
    assert unbundle.read(packed, fresh).files == []
    small_disk(tmp_path / "small", "size=64k")
    crowded = clone(tmp_path / "small/fresh")
    sentence = refused(packed, crowded)
    assert "No space left on device" in sentence
    assert sentence.endswith("nothing is unpacked")
    assert {path.name for path in crowded.iterdir()} == {"config"}


@pytest.mark.parametrize("what", ["folder", "pipe", "dangling link", "folder's file"])
def test_what_is_in_the_way_is_named(packed, tmp_path, what):
    fresh = clone(tmp_path / "fresh")
    place = fresh / CSV
    place.parent.mkdir(parents=True)
    if what == "folder":
        place.mkdir()
    elif what == "pipe":
        os.mkfifo(place)
    elif what == "dangling link":
        place.symlink_to(tmp_path / "nowhere")
    else:
        place.parent.rmdir()
        place.parent.write_text("a file")
    assert refused(packed, fresh).endswith("nothing is unpacked")
    assert not (tmp_path / "nowhere").exists()


def test_a_bundle_that_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/null"):
        assert "is no file; nothing is unpacked" in refused(type(tmp_path)(path), clone(tmp_path / "fresh"))
