"""A device that is none: what lies there is marked, and nothing may be computed of what lies in two places."""

import pandas as pd
import pytest
import torch
import transformers
from small_models import TEXTS, read
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from attnsvm import inspect
from attnsvm.system.errors import UserError

AWAY = torch.device("lazy:0")  # what PyTorch has no arithmetic for, but knows as a device


class There(torch.Tensor):
    """A tensor of the processor that says that it lies elsewhere."""

    @staticmethod
    def __new__(cls, inner):
        of = {"strides": inner.stride(), "dtype": inner.dtype, "device": AWAY}
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, **of)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        with Two():
            return func(*args, **(kwargs or {}))


class Two(TorchDispatchMode):
    """Computes where the parts are, which is one place but for single numbers."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        given = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        there = [isinstance(one, There) for one in given if one.ndim > 0 or len(given) == 1]
        moves = "device" in kwargs or func in (torch.ops.aten.copy_.default,)
        assert moves or all(there) or not any(there), f"{func} of what lies in two places"
        goes = torch.device(kwargs["device"]).type == AWAY.type if kwargs.get("device") else any(there)
        kwargs |= {"device": "cpu"} if goes and "device" in kwargs else {}
        bare = tree_map(lambda one: one.inner if isinstance(one, There) else one, (args, kwargs))
        found = func(*bare[0], **bare[1])
        if func._schema.is_mutable:
            return args[0]
        return tree_map(lambda one: There(one) if goes and isinstance(one, torch.Tensor) else one, found)


@pytest.mark.parametrize("kind", ["bert", "llama", "gemma2", "t5", "bloom", "olmo2", "deberta-v2", "deepseek_v2"])
def test_a_table_is_that_of_the_processor(kind, tmp_path, monkeypatch, request):
    read(kind, tmp_path, torch.float32)
    if kind == "llama":  # with a head for words, and so with a loss
        transformers.LlamaForCausalLM.from_pretrained(tmp_path).save_pretrained(tmp_path)
    settings = {"layers": [1], "heads": [0], "norms": "fro", "draws": 1}
    here = inspect.heads(tmp_path, TEXTS, **settings)
    monkeypatch.setattr(inspect, "_device", str)
    monkeypatch.setenv("HF_DEACTIVATE_ASYNC_LOAD", "1")  # a mode is that of its thread
    torch._C._set_only_lift_cpu_tensors(True)
    request.addfinalizer(lambda: torch._C._set_only_lift_cpu_tensors(False))
    with Two(), torch.no_grad():
        pd.testing.assert_frame_equal(inspect.heads(tmp_path, TEXTS, device="lazy", **settings), here)


def test_one_that_does_not_do_is_said_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for name, said in (("mps", "mps has no numbers"), ("cuda:0", "PyTorch finds 0 GPUs here"), ("gpu", "expected cpu")):
        with pytest.raises(UserError, match=f"^device: {said}"):
            inspect.why("no/such/folder", device=name)
