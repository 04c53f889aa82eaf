"""The tokens of texts, made by the tokenizer of a model, which runs in a process of its own.

A tokenizer is a program in a file of a stranger: it may never end, take all memory, or end the process that it runs in.
`python -m attnsvm.inspect.tokens` reads a request from its standard input, as JSON, and answers on its output.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from attnsvm.system import extras, interpreter, untrusted
from attnsvm.system.errors import UserError, first_line, require

COMPILED = "TORCHINDUCTOR_CACHE_DIR"
# It fetches nothing, and keeps and finds nothing in a folder that everybody can write to.
ALONE = {"HF_HUB_OFFLINE": "1", "TIKTOKEN_CACHE_DIR": "", COMPILED: str(Path(__file__).parent)}
SECONDS = 120  # of a processor that a tokenizer may take, and one more for so many letters:
PATIENCE = 10  # times as long it may wait for one
LETTERS = 20_000
MEMORY = 2**31  # bytes, beyond what the libraries take
SHOWN = 200  # letters of a token
MOLECULES = ("(", ")", "=", "Cl")  # which a vocabulary of proteins or of letters has not
BESIDE = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")  # read with any of the others
# Settings with which words are those of a model of sentencepiece.
PLAIN = {"do_lower_case": False, "split_by_punct": False, "sp_model_kwargs": {}, "add_prefix_space": True}
OF_CLASSES = {"auto_map": {}, "never_split": [], "do_basic_tokenize": True}  # which nobody reads without their code
FILE = "tokenizer.json"  # of the library tokenizers: where it is there, nothing else decides over words


def encoded(
    folder: Path, texts: Sequence[str], longest: int, causal: bool
) -> tuple[list[list[int]], list[np.ndarray], list[list[str]], list[str]]:
    """Token numbers, which of them are delimiters, and their words, per text; and the names of the files read.

    Args:
        folder: config.json and the files of a tokenizer.
        longest: tokens after which a text is cut.
        causal: whether the first token counts as a delimiter: a decoder without delimiters uses it as one.

    Raises:
        UserError: there is no tokenizer, it does not work, or a text has too few tokens; one sentence.
    """
    require(len(texts) > 0, "texts: expected at least one line that is not empty")
    found = elsewhere({"folder": os.path.abspath(folder), "texts": list(texts), "longest": longest})
    special, marks = set(found["special"]), []
    for number, (text, ids) in enumerate(zip(texts, found["ids"], strict=True), 1):
        inside = [k for k in ids if k not in special]
        fits = len(ids) <= longest  # some tokenizers do not cut where their delimiters alone are too many
        require(fits, f"text {number} ({text[:40]!r}): is cut to {longest} tokens, and the tokenizer makes {len(ids)}")
        require(
            len(ids) >= 2 and len(inside) >= 1,
            f"text {number} ({text[:40]!r}): expected at least two tokens, the tokenizer makes {len(ids)}"
            if len(ids) < 2
            else f"text {number} ({text[:40]!r}): expected a word, the tokenizer finds only delimiters",
        )
        mark = np.array([k in special for k in ids])
        mark[0] |= causal
        marks.append(mark)
    unknown = special | {found["unknown"]}
    require(
        not all(k in unknown for ids in found["ids"] for k in ids),
        "texts: the model's tokenizer knows none of their words; are they the right kind of text?",
    )
    return found["ids"], marks, found["words"], found["files"]


def save(file: Path, folder: Path, **how: object) -> None:
    """Write the tokenizer that a GGUF file holds into a folder; `how`: see `_of_gguf`. UserError as `encoded`."""
    elsewhere({"gguf": os.path.abspath(file), "save": os.path.abspath(folder), "how": how})


def elsewhere(request: dict) -> dict:
    """What `answer` says of a request, in a process that ends with this one, or when its time is over."""
    place = request.get("folder") or request["gguf"]
    seconds = SECONDS + sum(map(len, request.get("texts", ()))) // LETTERS
    endless = f"{place}: its tokenizer does not end within {seconds} seconds"
    try:
        done = subprocess.run(
            interpreter.command("attnsvm.inspect.tokens", str(seconds)),
            input=json.dumps(request).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE * seconds,
            env=interpreter.environment() | ALONE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(endless) from error
    require(done.returncode != -signal.SIGXCPU, endless)
    try:
        found = json.loads(done.stdout)
    except ValueError as error:
        why = f"it takes more than {MEMORY / 1e9:.1f} GB of memory, or ends by itself, status {done.returncode}"
        raise UserError(f"{place}: its tokenizer cannot be used: {why}") from error
    require("error" not in found, found.get("error", ""))
    return found


def answer(request: dict) -> dict:
    """Numbers and words of texts, delimiters, the unknown word, the files that were read; or a tokenizer is saved.

    Args:
        request: "folder", "texts" and "longest" as `encoded` has them; or "gguf", "save" and "how" as `save` has them.

    Raises:
        UserError: the tokenizer cannot be read, or fails with a text.
    """
    if "save" in request:
        _of_gguf(Path(request["gguf"]), **request["how"]).save_pretrained(request["save"])
        return {}
    folder = Path(request["folder"])
    read = (_Own if (folder / FILE).is_file() else _Made)(folder, request["longest"])
    ids, words = [], {}
    for number, text in enumerate(request["texts"], 1):
        try:
            ids.append(read.numbers(text))
            words |= {k: _word(read, k) for k in {*ids[-1]} - words.keys()}
        except BaseException as error:  # of Rust, too
            raise UserError(f"{folder}: its tokenizer fails with text {number} ({first_line(error)})") from error
    return {
        "ids": ids,
        "words": [[words[k] for k in one] for one in ids],
        "special": sorted(read.special),
        "unknown": read.unknown,
        "files": [*read.files],
    }


class _Own:
    """The tokenizer that tokenizer.json is, ends and truncation included; only padding is left out.

    Attributes:
        special: the tokens that mark a beginning or an end; an unknown or a masked word is a word. Known once there
            are texts.
        unknown: the number of the unknown word, or None. files: the names of the files that were read.
    """

    files = (FILE,)

    def __init__(self, folder: Path, longest: int):
        from tokenizers import Tokenizer

        untrusted.start(folder / FILE, 1)
        try:
            self.tokenizer = Tokenizer.from_file(str(folder / FILE))
            cut = self.tokenizer.truncation or {}
            most = min(longest, cut.get("max_length", longest))
            self.tokenizer.enable_truncation(most, direction=cut.get("direction", "right"))
            self.tokenizer.no_padding()
            model = json.loads(self.tokenizer.to_str())["model"]
        except BaseException as error:  # of Rust, by a panic
            raise UserError(f"{folder}: its tokenizer cannot be read ({first_line(error)})") from error
        self.unknown = model.get("unk_id", self.tokenizer.token_to_id(model.get("unk_token") or ""))
        marked = {k: one.content for k, one in self.tokenizer.get_added_tokens_decoder().items() if one.special}
        self.special = {k for k, word in marked.items() if k != self.unknown and "mask" not in word.casefold()}
        words = self.tokenizer.get_vocab_size() > len({*marked, self.unknown} - {None})
        require(words, f"{folder}: its tokenizer has no words")

    def numbers(self, text: str) -> list[int]:
        found = self.tokenizer.encode(text)
        require(not any(found.type_ids), "it gives types other than 0 to tokens, and models are read with type 0")
        self.special |= {k for k, added in zip(found.ids, found.special_tokens_mask, strict=True) if added}
        return found.ids

    def token(self, number: int) -> str:
        return self.tokenizer.id_to_token(number) or ""

    def decoded(self, number: int) -> str:
        return self.tokenizer.decode([number], skip_special_tokens=False)


class _Made:
    """The tokenizer that the library transformers makes of other files, as `_Own`.

    Of a model of sentencepiece, this library makes the pieces: the other one makes others of most (of unigrams for a
    Llama, without the space in front). Ends and the numbers of pieces are then those of transformers.
    """

    def __init__(self, folder: Path, longest: int):
        self.tokenizer, self.longest = _of_folder(folder), longest
        it = self.tokenizer
        require(len(it) > len({*it.all_special_ids}), f"{folder}: its tokenizer has no words")
        ends = {it.bos_token_id, it.eos_token_id, it.cls_token_id, it.sep_token_id}
        self.special = set(it.all_special_ids) - ({it.unk_token_id, it.mask_token_id} - ends)
        self.unknown = it.unk_token_id
        self.files = sorted(name for name in {*it.vocab_files_names.values(), *BESIDE} if (folder / name).is_file())
        self.pieces = _pieces(folder, self.files)
        if self.pieces:
            every = [k for k in range(len(self.pieces)) if not self.pieces.is_control(k)]
            found = it.convert_tokens_to_ids([self.pieces.id_to_piece(k) for k in every])
            self.made = dict(zip(every, found, strict=True)) | {self.pieces.unk_id(): self.unknown}
            fits = len({*self.made.values()} - {None}) == len(every)
            require(fits, f"{folder}: its tokenizer has no number of its own for each piece; save it as {FILE}")
            self.special -= {*self.made.values()} - ends  # pieces that somebody has defined
            whole = self._by_transformers("a")
            self.before = [*takewhile(self.special.__contains__, whole)]
            self.after = [k for k in whole[len(self.before) :] if k in self.special]

    def numbers(self, text: str) -> list[int]:
        if not self.pieces:
            return self._by_transformers(text)
        room = max(0, self.longest - len(self.before) - len(self.after))
        return [*self.before, *[self.made[k] for k in self.pieces.encode(text)][:room], *self.after]

    def _by_transformers(self, text: str) -> list[int]:
        given = self.tokenizer(text, truncation=True, max_length=self.longest, verbose=False)
        return list(map(int, given["input_ids"]))

    def token(self, number: int) -> str:
        return self.tokenizer.convert_ids_to_tokens(number)

    def decoded(self, number: int) -> str:
        return self.tokenizer.decode([number])


def _of_folder(folder: Path) -> Any:
    """The tokenizer of a model; the libraries decide which one, from the files that are there."""
    try:
        for path in folder.iterdir():
            if path.is_file() and path.suffix in (".json", ".txt", ".model"):
                untrusted.start(path, 1)
        _require_heeded(folder, "the files beside it", OF_CLASSES)
        more = _of_vocabulary(folder)
        from transformers import AutoTokenizer

        found = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **more)
        files = {*getattr(found, "vocab_files_names", {}).values(), FILE}
    except UserError:
        raise
    except BaseException as error:  # each kind of tokenizer fails in its own way, those in Rust by a panic
        if any(folder.glob("*.model")):
            extras.needed("sentencepiece")
        raise UserError(f"{folder}: its tokenizer cannot be read ({first_line(error)})") from error
    # Without a file the libraries make one of no words.
    there = any((folder / name).is_file() for name in files)
    require(there, f"{folder}: there is no tokenizer in it ({' or '.join(sorted(files))})")
    return found


def _pieces(folder: Path, names: Sequence[str]) -> Any:
    """The model of sentencepiece among some files, or None; UserError where other settings are to change its words."""
    for name in [name for name in names if name.endswith((".model", ".spm"))]:
        if untrusted.start(folder / name, 1) != b"\n":  # of tiktoken
            continue
        from sentencepiece import SentencePieceProcessor

        _require_heeded(folder, name, PLAIN)
        try:
            return SentencePieceProcessor(model_file=str(folder / name))
        except Exception as error:
            raise UserError(f"{folder}: its tokenizer cannot be read ({first_line(error)})") from error
    return None


def _require_heeded(folder: Path, name: str, plain: dict) -> None:
    config = folder / "tokenizer_config.json"
    said = untrusted.json_file(config) if config.is_file() else {}
    others = [key for key, value in plain.items() if said.get(key, value) not in (None, value)]
    require(not others, f"{config}: {', '.join(others)}: not heeded with {name}; save it as {FILE}")


def _of_vocabulary(folder: Path) -> dict:
    """How the libraries are to read vocab.txt alone, which they take for one of small letters unless a file says not.

    Raises:
        UserError: it lists parts of SMILES strings, which they take for pieces of words, and find none in a molecule.
    """
    path, config = folder / "vocab.txt", folder / "tokenizer_config.json"
    pieces = untrusted.text(path).split("\n") if path.is_file() else []
    found = [one for one in map(str.strip, pieces) if one]
    molecules = {*MOLECULES} <= {*found} and all(len(one) <= 2 or one[0] in "[%" for one in found)
    require(not molecules, f"{path}: is a vocabulary of molecules (SMILES strings), which is not read")
    said = config.is_file() and "do_lower_case" in untrusted.json_file(config)
    cased = any(one != one.lower() and one[0] not in "[<" for one in found)
    return {"do_lower_case": False} if cased and not said else {}


def _of_gguf(file: Path, digits: bool, whole: bool, begins: bool | None) -> Any:
    """The tokenizer in a GGUF file, and not one that lies beside it: its words are those of llama.cpp.

    Args:
        digits: whether each digit is a part. whole: whether a part that is a word stays whole, and texts begin with a
            token where the file does not say it: begins.
    """
    from tokenizers import normalizers, pre_tokenizers
    from transformers import AutoTokenizer

    try:
        with TemporaryDirectory(prefix="attnsvm-") as alone:
            os.symlink(file, Path(alone, "model.gguf"))
            more = {"add_bos_token": True} if whole and begins is None else {}
            found = AutoTokenizer.from_pretrained(
                alone, gguf_file="model.gguf", local_files_only=True, trust_remote_code=False, **more
            )
        made = found.backend_tokenizer
        if whole:
            made.model.ignore_merges = True
        if digits:
            each = pre_tokenizers.Digits(individual_digits=True)
            made.pre_tokenizer = pre_tokenizers.Sequence([each, made.pre_tokenizer])
        if isinstance(made.pre_tokenizer, pre_tokenizers.Metaspace):  # adds no space to one that is there, as it should
            made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
            made.pre_tokenizer = None
        return found
    except Exception as error:  # each part of it fails in its own way
        raise UserError(f"{file}: its tokenizer cannot be read ({first_line(error)})") from error


def _word(read: _Own | _Made, number: int) -> str:
    """The token as the vocabulary has it where that is readable; a byte-level token is decoded."""
    token, decoded = read.token(number), read.decoded(number)
    return (token if token.isascii() or not decoded.strip() else decoded)[:SHOWN]


def _bounded(seconds: int) -> None:
    """This process gets so much memory and processor time from now on, where the system can say so."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = 1024 * int(Path("/proc/self/status").read_text().partition("VmData:")[2].split()[0])
        limits = (resource.RLIMIT_DATA, used + MEMORY), (resource.RLIMIT_CPU, int(time.process_time()) + seconds)
        for kind, most in limits:
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def main(seconds: int) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print is no answer
    request = json.load(sys.stdin)
    if "gguf" not in request:
        sys.modules["torch"] = None  # type: ignore[assignment]  # half of the time and of the memory that start takes
    if not Path(request.get("folder", ""), FILE).is_file():
        import transformers  # noqa: F401

    _bounded(seconds)
    try:
        found = answer(request)
    except UserError as error:
        found = {"error": str(error)}
    json.dump(found, answers)
    answers.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
