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
            _save(model, copy.deepcopy(tokenizer), folder)
    except Exception as error:  # each kind of model fails in its own way
        raise UserError(f"model: {name} cannot be saved ({first_line(error):.80}); give its folder or file") from error
    require(not what, f"model: {name} computes otherwise than what its library saves ({what}); give the folder of one "
            "that does not, or arrays in an .npz file")  # fmt: skip


def _save(model: Any, tokenizer: Any, folder: Path) -> None:
    own, model.config = model.config, copy.deepcopy(model.config)  # saving changes some of it
    try:
        model.save_pretrained(folder)
    finally:
        model.config = own
    if hasattr(tokenizer, "backend_tokenizer"):
        tokenizer.backend_tokenizer.no_truncation()
    getattr(tokenizer, "save_pretrained", lambda folder: tokenizer.save(str(folder / FILE)))(folder)


def _unlike(model: Any) -> str:
    """What a model computes with that one of the same settings has not, or has otherwise; "" where there is nothing."""
    same = without_weights(lambda: type(model)(copy.deepcopy(model.config)), len([*model.parameters()]), "cpu")
    plain = dict(same.named_modules(remove_duplicate=False))
    for name, module in model.named_modules(remove_duplicate=False):
        what = _other(module, plain[name]) if name in plain else "" if name.startswith("pooler") else "a module"
        if what:
            return f"{what} in {name or 'the model itself'}"
    return ""


def _other(module: torch.nn.Module, plain: torch.nn.Module) -> str:
    if type(module) is not type(plain):
        return f"a {type(module).__name__}"
    hooks = [*module._forward_hooks.values(), *module._forward_pre_hooks.values()]
    if not all(getattr(one, "__module__", "").startswith("transformers.") for one in hooks):
        return "a hook"
    for which in ("_parameters", "_buffers"):
        mine, theirs = ({k: v for k, v in getattr(one, which).items() if v is not None} for one in (module, plain))
        made = mine.keys() & plain._non_persistent_buffers_set  # and so not saved, but made anew
        for name in mine:  # some have been in half precision
            far = name in made and not torch.allclose(mine[name].cpu().to(theirs[name].dtype), theirs[name], rtol=0.01)
            if name not in theirs or far:
                return name
    mine, theirs = vars(module), vars(plain)
    for name in mine | theirs:
        in_place = name not in theirs and callable(mine[name]) and callable(getattr(type(module), name, None))
        compared = isinstance(theirs.get(name, module), (*SIMPLE, transformers.PreTrainedConfig))
        if in_place or (compared and not FREE.fullmatch(name) and repr(mine.get(name)) != repr(theirs[name])):
            return name
    return ""
