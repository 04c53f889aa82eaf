"""A model in memory: its own library writes it into a folder, if it computes there as it does in memory."""

import copy
import re
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch
import transformers

from attnsvm.inspect.layerwise import quiet, without_weights
from attnsvm.inspect.tokens import FILE
from attnsvm.system.errors import UserError, first_line, require

# Of these, or made of them, is what a module computes with beside tensors; what FREE names has no effect.
SIMPLE = (bool, int, float, str, type(None), tuple, list, dict, FunctionType, BuiltinFunctionType)
FREE = re.compile(r"_.*|p|.*drop.*|training|gradient_checkpointing|.*_cached|name_or_path|warnings_issued|attn_impl.*")


@quiet()
def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write a model and its tokenizer into a folder, without the length to which its last call cut a text.

    Raises:
        UserError: they cannot be written; or the model computes otherwise than what is written.
    """
    name, ours = type(model).__name__, type(model).__module__.startswith("transformers.models.")
    try:
        what = _unlike(model) if ours else "its class is not of transformers"
        if not what:
            model, tokenizer = copy.copy(model), copy.deepcopy(tokenizer)
            model.config = copy.deepcopy(model.config)  # of which saving changes some
            model.save_pretrained(folder)
            if hasattr(tokenizer, "backend_tokenizer"):
                tokenizer.backend_tokenizer.no_truncation()
            getattr(tokenizer, "save_pretrained", lambda folder: tokenizer.save(str(folder / FILE)))(folder)
    except Exception as error:  # each kind of model fails in its own way
        raise UserError(f"model: {name} cannot be saved ({first_line(error):.80}); give its folder or file") from error
    require(not what, f"model: {name} computes otherwise than what its library saves ({what}); give the folder of one "
            "that does not, or arrays in an .npz file")  # fmt: skip


def _unlike(model: Any) -> str:
    """What a model computes with that one of the same settings has not, or has otherwise; "" where there is nothing."""
    same = without_weights(lambda: type(model)(copy.deepcopy(model.config)), len([*model.parameters()]), "cpu", "it")
    plain = dict(same.named_modules(remove_duplicate=False))
    for name, module in model.named_modules(remove_duplicate=False):
        other, what = plain.get(name), [f"a {type(module).__name__}"]
        if type(module) is type(other):
            hooks = [*module._forward_hooks.values(), *module._forward_pre_hooks.values()]
            what = ["a hook" for one in hooks if not getattr(one, "__module__", "").startswith("transformers.")]
            ours, theirs = (
                dict(it.named_parameters(recurse=False)) | dict(it.named_buffers(recurse=False))
                for it in (module, other)
            )
            made = ours.keys() & other._non_persistent_buffers_set  # not saved; some have been in half precision
            what += [k for k in made if not torch.allclose(ours[k].cpu().to(theirs[k].dtype), theirs[k], rtol=0.01)]
            what += sorted(ours.keys() - theirs.keys())
            what += [k for k in vars(module) | vars(other) if _is_other(k, module, other)]
        if what:
            return f"{what[0]} in {name or 'the model itself'}"
    return ""


def _is_other(name: str, module: torch.nn.Module, plain: torch.nn.Module) -> bool:
    mine, theirs = vars(module), vars(plain)
    if name not in theirs:  # in the place of a method
        return callable(mine[name]) and callable(getattr(type(module), name, None))
    compared = isinstance(theirs[name], (*SIMPLE, transformers.PreTrainedConfig)) and not FREE.fullmatch(name)
    return compared and repr(mine.get(name)) != repr(theirs[name])
