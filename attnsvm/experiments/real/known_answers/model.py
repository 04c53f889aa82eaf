"""An ALBERT of reactions: one token for each atom, bond and bracket, and what enters its attention at every layer."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
import transformers

from attnsvm.errors import require
from attnsvm.inspect.attentions import attentions
from attnsvm.inspect.checkpoint import Checkpoint
from attnsvm.inspect.packaged import located
from attnsvm.inspect.parts import rows_of

AGREES = 1e-9  # difference of probabilities that rounding in float64 stays below
ENDS = "[CLS]", "[SEP]"
UNKNOWN = "[UNK]"
PREFIX = "albert."  # before the names of the weights


@lru_cache(maxsize=2)
def model(name: str, seed: int | None = None) -> "transformers.AlbertModel":
    """The model of a folder or package in float64; with a seed, one of its shape with random weights."""
    folder = located(name)
    config = transformers.AlbertConfig.from_pretrained(folder, local_files_only=True)
    config._attn_implementation = "eager"  # the other ways give no probabilities
    torch.set_num_threads(1)  # sums in another order would have other last digits
    torch.manual_seed(seed or 0)
    made = transformers.AlbertModel(config, add_pooling_layer=False).double().eval()
    if seed is None:
        given = _weights(Checkpoint(folder))
        shapes = [{(key, one.shape) for key, one in held.items()} for held in (given, made.state_dict())]
        wrong = sorted(key for key, _ in shapes[0] ^ shapes[1])
        require(not wrong, f"{folder}: its weights are not those of its config.json: {', '.join(wrong[:3])}")
        made.load_state_dict(given)
    return made


def _weights(held: Checkpoint) -> dict[str, torch.Tensor]:
    """{name: tensor, in float64} of an ALBERT, without what stands behind its layers."""
    names = [name for name in held.files if name.startswith(PREFIX) and not name.startswith(f"{PREFIX}pooler")]
    require(bool(names), f"{held.named_by}: no weights in it have names that begin with {PREFIX!r}")
    with held.tensors(names) as found:
        return {name.removeprefix(PREFIX): one[...].double() for name, one in found.items()}


def heads(albert: "transformers.AlbertModel", number: int) -> np.ndarray:
    """(H, 2, r, D + 1): the rows of keys and of queries of every head of a layer; logits are (K x̃)·(Q z̃)."""
    one = attentions(albert, "albert")[number]
    keys, queries = rows_of(one.module.key), rows_of(one.module.query) * one.module.scaling
    return np.stack([rows.reshape(one.heads, -1, rows.shape[1]) for rows in (keys, queries)], axis=1)


def states(
    name: str, albert: "transformers.AlbertModel", numbers: Sequence[int], texts: Sequence[Sequence[str]]
) -> dict[int, list[np.ndarray]]:
    """{layer: (T, D + 1) of every text}: what enters its attention, a constant 1 behind; without the ends.

    Raises:
        UserError: the attention of the model is not the softmax of the logits that `heads` gives.
    """
    words = {word: k for k, word in enumerate((located(name) / "vocab.txt").read_text("utf-8").splitlines())}
    rows = {number: heads(albert, number).swapaxes(0, 1) for number in numbers}
    found: dict[int, list[np.ndarray]] = {number: [] for number in numbers}
    for tokens in texts:
        ids = [words.get(token, words[UNKNOWN]) for token in (ENDS[0], *tokens, ENDS[1])]
        with torch.no_grad():
            out = albert(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
        for number, (K, Q) in rows.items():
            X = np.column_stack([out.hidden_states[number][0].numpy(), np.ones(len(ids))])
            logits = (Q @ X.T).swapaxes(1, 2) @ (K @ X.T)
            ours = np.exp(logits - logits.max(-1, keepdims=True))
            error = np.abs(ours / ours.sum(-1, keepdims=True) - out.attentions[number][0].numpy()).max()
            sentence = f"{name}, layer {number}: its attention is no softmax of our logits ({error:.1e})"
            require(error <= AGREES, sentence)
            found[number].append(X[1:-1])
    return found
