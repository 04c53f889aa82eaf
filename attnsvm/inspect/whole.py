"""How the loss of the whole model rises once one head loses what a W would give its logits, for every query of a text.

The model runs with its head for words, by its own code, in float32; nothing else is changed.
"""

import itertools
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from torch.overrides import TorchFunctionMode

from attnsvm.inspect import tokens
from attnsvm.inspect.attention import attentions
from attnsvm.inspect.checkpoint import Checkpoint
from attnsvm.inspect.families import DECODERS
from attnsvm.inspect.layerwise import layer_of, quiet
from attnsvm.inspect.models import Reading
from attnsvm.system import machine
from attnsvm.system.errors import first_line, require

EVERY = 7  # of so many words of a text one is masked, from the middle of the first so many on
MASKS = ("[MASK]", "<mask>")
TOGETHER = 2**10  # tokens that pass together, of texts of one length
NOT = -100  # is foretold, as PyTorch has it
SOFTMAX = (torch.nn.functional.softmax, torch.softmax, torch.Tensor.softmax)


def of(read: Any) -> "Whole | str":
    """The whole model that is read layer by layer; or why its loss is not measured."""
    if not isinstance(read, Reading):
        return "arrays have no model"
    walk, mask = read.walk, None
    need = 8.0 * sum(map(np.prod, walk.checkpoint.shapes.values()))
    try:
        require(walk.attentions[0].theory == "exact", "its logits are not linear in W")
        require(need < machine.memory(), f"the whole model takes {need / 1e9:.1f} GB")
        if walk.model.config.model_type not in DECODERS:
            found = tokens.elsewhere({"folder": str(walk.folder), "texts": MASKS, "longest": 8})
            pairs = [*zip(itertools.chain(*found["words"]), itertools.chain(*found["ids"]), strict=True)]
            mask = next((number for word, number in pairs if word in MASKS), None)
            require(mask is not None, "its tokenizer has no masked word")
        texts = []
        for text, ids, marks in zip(read.text, walk.texts, read.marks, strict=True):
            words = np.flatnonzero(~marks)
            hidden = {*words[min(len(words), EVERY) // 2 :: EVERY]}
            masked = [(mask, k) if at in hidden else (k, NOT) for at, k in enumerate(ids)]
            following = zip(ids, [*ids[1:], NOT], strict=True)
            texts.append((text, tuple(zip(*(following if mask is None else masked), strict=True))))
        return _read(str(walk.folder), mask is None, tuple(texts), walk.device)
    except Exception as error:  # each kind of model fails in its own way
        return first_line(error)


class Whole:
    """A model with its head for words; in another process it is read there, once.

    Args:
        causal: whether the head is for the next token, or for what is masked.
        texts: number, tokens, and what is foretold in the place of each; `NOT`: nothing is.
        device: where it runs.
    """

    @quiet()
    def __init__(self, folder: str, causal: bool, texts: tuple[tuple[int, tuple[tuple, tuple]], ...], device: str):
        self._given, self.texts, self.device = (folder, causal, texts, device), dict(texts), device
        kinds = transformers.MODEL_FOR_CAUSAL_LM_MAPPING if causal else transformers.MODEL_FOR_MASKED_LM_MAPPING
        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        require(type(config) in kinds, f"there is no head for words for {config.model_type!r}")
        checkpoint = Checkpoint(Path(folder))
        with checkpoint.tensors(checkpoint.files) as tensors:
            weights = {name: one[...] for name, one in tensors.items()}
        self.model, said = kinds[type(config)].from_pretrained(
            None, config=config, state_dict=weights, attn_implementation="eager", experts_implementation="eager",
            dtype=torch.float32, output_loading_info=True,
        )  # fmt: skip
        require(not said["missing_keys"], "its weights have no head for words")
        self.model.eval().to(device).config.use_cache = False
        base = self.model.base_model
        self.attentions = attentions(base, base.config.model_type)
        for name in dict.fromkeys(layer_of(one.name) for one in self.attentions):
            module = base.get_submodule(name)
            module.forward = self._in_turn(module.forward)
        for projection in {one.projection for one in self.attentions}:
            projection.register_forward_pre_hook(self._capture)
        self._number, self._known = -1, {}  # {texts: what attention is given, what the layer before returns, losses}

    def __reduce__(self):
        return _read, self._given

    def rises(self, layer: int, head: int, texts, part: float, A) -> np.ndarray:
        """(n,) by how much the loss of each text rises, in nats, once W is W − part · A.

        The loss is the mean −log of the model's probability of each next token, or of the masked ones.

        Args:
            texts: their numbers. A: (d, e), or what has `pairs` as a `lifted.Head`.
        """
        if self._number != layer:
            self._number, self._known = layer, {}
        found, size = {}, {text: len(self.texts[text][0]) for text in texts}
        for length, several in itertools.groupby(sorted(texts, key=size.get), size.get):
            each, most = list(several), max(1, TOGETHER // length)
            for some in [tuple(each[k : k + most]) for k in range(0, len(each), most)]:
                if some not in self._known:
                    loss = self._loss(some, nullcontext())
                    self._known[some] = self._states, self._before, loss
                states, _, loss = self._known[some]
                less = np.stack([part * self.attentions[layer].logits(A, X) for X in states])
                less = torch.tensor(less, device=self.device)
                found |= dict(zip(some, self._loss(some, _Less(head, less)) - loss, strict=True))
        return np.array([found[text] for text in texts])

    def _loss(self, some, changed) -> np.ndarray:
        self._applied, self._changed, self._some, self._before = 0, changed, some, None
        given, told = torch.tensor([self.texts[text] for text in some], device=self.device).unbind(1)
        with torch.no_grad():
            logits = self.model(input_ids=given).logits.transpose(1, 2)
            each = torch.nn.functional.cross_entropy(logits, told, reduction="none", ignore_index=NOT)
        return (each.sum(1) / (told != NOT).sum(1)).double().cpu().numpy()

    def _capture(self, _, given) -> None:
        if self._applied == self._number + 1:  # a layer may be applied several times
            X = given[0].double().cpu().numpy()
            self._states = np.concatenate([X, np.ones((*X.shape[:2], 1))], axis=2)

    def _in_turn(self, forward):
        """A layer's own forward; one before the layer that changes returns what is known of the texts."""

        def handed_on(*given, **named):
            number, self._applied = self._applied, self._applied + 1
            if number < self._number and self._some in self._known:
                return self._known[self._some][1]
            with self._changed if number == self._number else nullcontext():
                out = forward(*given, **named)
            self._before = out if number == self._number - 1 else self._before
            return out

        return handed_on


@lru_cache(1)
def _read(*given) -> Whole:
    return Whole(*given)


class _Less(TorchFunctionMode):
    """The softmax of attention, given less (B, T, T) from the logits (B, heads, T, T or more) of one head."""

    def __init__(self, head: int, less: torch.Tensor):
        super().__init__()
        self.head, self.less = head, less

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in SOFTMAX and args[0].ndim == 4:
            args = (args[0].clone(), *args[1:])
            args[0][:, self.head, :, : self.less.shape[-1]] -= self.less
        return func(*args, **(kwargs or {}))
