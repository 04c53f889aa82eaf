"""The tokens of texts, made by the tokenizer of a model, which runs in a process of its own.

A tokenizer is a program in a file of a stranger: it may never end, take all memory, or end the process that it runs in.
`python -m attnsvm.inspect.tokens` reads a request from its standard input, as JSON, and answers on its output.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from attnsvm.system import extras, interpreter, untrusted
from attnsvm.system.errors import UserError, first_line, require

COMPILED = "TORCHINDUCTOR_CACHE_DIR"
# It fetches nothing, and keeps and finds nothing in a folder that everybody can write to.
ALONE = {"HF_HUB_OFFLINE": "1", "TIKTOKEN_CACHE_DIR": "", COMPILED: str(Path(__file__).parent)}
SECONDS = 120  # that a tokenizer may take, and one more for so many letters:
LETTERS = 20_000
MEMORY = 2**31  # bytes, beyond what the libraries take
SHOWN = 200  # letters of a token
MOLECULES = ("(", ")", "=", "Cl")  # which a vocabulary of proteins or of letters has not


def encoded(
    folder: Path, texts: Sequence[str], longest: int, causal: bool
) -> tuple[list[list[int]], list[np.ndarray], list[list[str]]]:
    """Token numbers, which of them are delimiters, and their words, per text.

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
    return found["ids"], marks, found["words"]


def save(file: Path, folder: Path) -> None:
    """Write the tokenizer that a GGUF file holds into a folder. UserError as `encoded`."""
    elsewhere({"gguf": os.path.abspath(file), "save": os.path.abspath(folder)})


def elsewhere(request: dict) -> dict:
    """What `answer` says of a request, in a process that ends with this one, or when its time is over."""
    place = request.get("folder") or request["gguf"]
    seconds = SECONDS + sum(map(len, request.get("texts", ()))) // LETTERS
    try:
        done = subprocess.run(
            interpreter.command("attnsvm.inspect.tokens", str(seconds)),
            input=json.dumps(request).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env=interpreter.environment() | ALONE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(f"{place}: its tokenizer does not end within {seconds} seconds") from error
    try:
        found = json.loads(done.stdout)
    except ValueError as error:
        why = f"it takes more than {MEMORY / 1e9:.1f} GB of memory, or ends by itself, status {done.returncode}"
        raise UserError(f"{place}: its tokenizer cannot be used: {why}") from error
    require("error" not in found, found.get("error", ""))
    return found


def answer(request: dict) -> dict:
    """The token numbers of texts and their words, the delimiters, and the unknown word; or a tokenizer is saved.

    Args:
        request: "folder", "texts" and "longest" as `encoded` has them; or "gguf" and "save", a file and a folder.

    Raises:
        UserError: the tokenizer cannot be read, or fails with a text.
    """
    if "save" in request:
        _of_gguf(Path(request["gguf"])).save_pretrained(request["save"])
        return {}
    folder, longest = Path(request["folder"]), request["longest"]
    tokenizer = _of_folder(folder)
    special, words = _delimiters(tokenizer), {}
    require(len(tokenizer) > len({*tokenizer.all_special_ids}), f"{folder}: its tokenizer has no words")
    ids = []
    for number, text in enumerate(request["texts"], 1):
        try:
            ids.append(list(map(int, tokenizer(text, truncation=True, max_length=longest, verbose=False)["input_ids"])))
            words |= {k: _word(tokenizer, k) for k in {*ids[-1]} - words.keys()}
        except BaseException as error:  # of Rust, too
            raise UserError(f"{folder}: its tokenizer fails with text {number} ({first_line(error)})") from error
    return {
        "ids": ids,
        "words": [[words[k] for k in one] for one in ids],
        "special": sorted(special),
        "unknown": tokenizer.unk_token_id,
    }


def _of_folder(folder: Path) -> Any:
    """The tokenizer of a model; the libraries decide which one, from the files that are there."""
    try:
        for path in folder.iterdir():
            if path.is_file() and path.suffix in (".json", ".txt", ".model"):
                untrusted.start(path, 1)
        _require_words(folder)
        from transformers import AutoTokenizer

        found = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        files = {*getattr(found, "vocab_files_names", {}).values(), "tokenizer.json"}
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


def _require_words(folder: Path) -> None:
    """UserError where vocab.txt alone, without tokenizer.json, lists tokens of molecules: parts of SMILES strings.

    The libraries take such a file for pieces of words, and find none of its tokens in a molecule.
    """
    path = folder / "vocab.txt"
    if (folder / "tokenizer.json").is_file() or not path.is_file():
        return
    found = untrusted.text(path).split()
    molecules = {*MOLECULES} <= {*found} and all(len(one) <= 2 or one[0] in "[%" for one in found)
    require(not molecules, f"{path}: is a vocabulary of molecules (SMILES strings), which is not read")


def _of_gguf(file: Path) -> Any:
    """The tokenizer in a GGUF file, and not one that lies beside it."""
    from transformers import AutoTokenizer

    try:
        with TemporaryDirectory(prefix="attnsvm-") as alone:
            os.symlink(file, Path(alone, "model.gguf"))
            return AutoTokenizer.from_pretrained(
                alone, gguf_file="model.gguf", local_files_only=True, trust_remote_code=False
            )
    except BaseException as error:
        raise UserError(f"{file}: its tokenizer cannot be read ({first_line(error)})") from error


def _delimiters(tokenizer) -> set[int]:
    """The special tokens that mark a beginning or an end; an unknown or a masked word is a word."""
    ends = {tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.cls_token_id, tokenizer.sep_token_id}
    return set(tokenizer.all_special_ids) - ({tokenizer.unk_token_id, tokenizer.mask_token_id} - ends)


def _word(tokenizer, number: int) -> str:
    """The token as the vocabulary has it where that is readable; a byte-level token is decoded."""
    token = tokenizer.convert_ids_to_tokens(number)
    decoded = tokenizer.decode([number])
    return (token if token.isascii() or not decoded.strip() else decoded)[:SHOWN]


def _bounded(seconds: int) -> None:
    """This process gets so much memory and processor time from now on, where the system can say so."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = 1024 * int(Path("/proc/self/status").read_text().partition("VmData:")[2].split()[0])
        for kind, most in ((resource.RLIMIT_DATA, used + MEMORY), (resource.RLIMIT_CPU, 4 * seconds)):
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def main(seconds: int) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print is no answer
    request = json.load(sys.stdin)
    if "gguf" not in request:
        sys.modules["torch"] = None  # type: ignore[assignment]  # half of the time and of the memory that start takes
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
