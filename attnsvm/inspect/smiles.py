"""The tokenizer of a model of molecules: vocab.txt alone, a line for each token of a SMILES string.

Such a model comes with code that splits a string by a regular expression (Schwaller et al., Molecular Transformer,
2019). No code in a folder is run, and the libraries take its vocabulary for another kind: they find no token that they
know. So the vocabulary decides.
"""

from pathlib import Path

import transformers
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors

from attnsvm.data.reactions import TOKEN
from attnsvm.errors import UserError, require
from attnsvm.reading import json_file, text

VOCABULARY, SPECIAL = "vocab.txt", "special_tokens_map.json"
PARTS = {"(", ")", "=", "Cl"}  # which a vocabulary of proteins or of letters has not
NEEDED = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
NAMES = NEEDED | {"pad_token": "[PAD]", "mask_token": "[MASK]"}


def vocabulary(folder: Path) -> list[str] | None:
    """The lines of vocab.txt, if each is one token of a SMILES string; None where it is another vocabulary, or none.

    Raises:
        UserError: the file is not text.
    """
    path = folder / VOCABULARY
    if not path.is_file():
        return None
    words = text(path).splitlines()
    return words if set(words) >= PARTS and all(TOKEN.fullmatch(word) for word in words) else None


def tokenizer(folder: Path, words: list[str]) -> "transformers.PreTrainedTokenizerFast":
    """A tokenizer of these words, which stand in their order; a text is put between two delimiters.

    Raises:
        UserError: a word stands there twice, or a special token is not among them.
    """
    path, numbers = folder / VOCABULARY, {word: k for k, word in enumerate(words)}
    twice = [word for k, word in enumerate(words) if numbers[word] != k]
    require(not twice, f"{path}: {', '.join(twice[:3])}: in it twice, so token numbers are not certain")
    special = NAMES | _said(folder)
    missing = [special[name] for name in NEEDED if special[name] not in numbers]
    require(not missing, f"{path}: the special tokens {', '.join(missing)} are not in it")
    made = Tokenizer(models.WordLevel(numbers, unk_token=special["unk_token"]))
    made.pre_tokenizer = pre_tokenizers.Split(Regex(TOKEN.pattern), "isolated")
    begin, end = special["cls_token"], special["sep_token"]
    made.post_processor = processors.TemplateProcessing(
        f"{begin} $A {end}", special_tokens=[(word, numbers[word]) for word in (begin, end)]
    )
    there = {name: word for name, word in special.items() if word in numbers}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **there)


def _said(folder: Path) -> dict[str, str]:
    """What special_tokens_map.json calls the special tokens; nothing where it is not there."""
    path = folder / SPECIAL
    if not path.is_file():
        return {}
    try:
        given = json_file(path)
        found = {name: one["content"] if isinstance(one, dict) else one for name, one in given.items() if name in NAMES}
    except (UserError, KeyError, AttributeError) as error:
        raise UserError(f"{path}: expected JSON with the names of special tokens") from error
    require(
        all(isinstance(one, str) for one in found.values()), f"{path}: expected JSON with the names of special tokens"
    )
    return found
