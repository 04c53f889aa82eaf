"""The loss of the whole model without a direction of a head, beside models whose weights were changed by hand."""

import numpy as np
import pytest
import torch
import transformers
from small_models import FAMILIES, TEXTS, _spread, rotary_config, tokenizer

from attnsvm import inspect
from attnsvm.analysis.statistics import sample_interval
from attnsvm.inspect import whole
from attnsvm.inspect.families import DECODERS, ROTARY
from attnsvm.inspect.layers import logits, selections
from attnsvm.inspect.measures import Bench, Plan
from attnsvm.inspect.models import Reading

UNFUSED = [name for name in FAMILIES if (of := ROTARY.get(name.split(",")[0])) and not (of.fused or of.norms or of.cap)]


def folder_of(path, config):
    """A model with a head for words, and a tokenizer that has a masked word."""
    torch.manual_seed(4)
    tokenizer(path)
    transformers.AutoTokenizer.from_pretrained(path, mask_token="[MASK]").save_pretrained(path)
    kind = "AutoModelForMaskedLM" if config.model_type in ("nomic_bert", "esm") else "AutoModelForCausalLM"
    model = getattr(transformers, kind).from_config(config, attn_implementation="eager", experts_implementation="eager")
    _spread(model).eval().save_pretrained(path)
    return model


def losses(model, found):
    """(n,) by transformers, of each text by itself."""
    which = int(model.config.model_type not in DECODERS)  # labels of a decoder are its tokens
    with torch.no_grad():
        each = [torch.tensor(both)[:, None] for both in found.texts.values()]
        return np.array([float(model(both[0], labels=both[which]).loss) for both in each])


@pytest.mark.parametrize("name", UNFUSED)
def test_without_its_w_a_head_has_the_loss_of_one_whose_queries_are_zero(name, tmp_path):
    model = folder_of(tmp_path, rotary_config(name, 25))
    found, (layer,) = whole.of(reading := Reading(tmp_path, TEXTS[:6], [1])), reading
    it, W, size = found.attentions[1], layer.heads[2], len(layer.heads[2].query)
    rises, before = found.rises(1, 2, reading.text, 1.0, W), losses(model, found)
    for (given, told), ids in [] if it.causal else zip(found.texts.values(), reading.walk.texts, strict=True):
        assert [*np.flatnonzero(np.array(told) > 0)] == [*range(1, len(ids) - 1)][min(len(ids) - 2, 7) // 2 :: 7]
        assert [k if k > 0 else own for own, k in zip(given, told, strict=True)] == ids
    with torch.no_grad():
        for parameter in getattr(model.base_model.get_submodule(it.name), it.family.projections[0]).parameters():
            parameter[2 * size : 3 * size] = 0.0
    np.testing.assert_allclose(rises, losses(model, found) - before, rtol=0, atol=3e-6)
    assert np.abs(rises).max() > 3e-5
    bench = Bench(layer, Plan(draws=1))
    A = bench.whole.certified(selections(bench.fit, W), "fro", W.logits(bench.fit)).W
    for B in (A, *bench.turned(A)) if it.causal else ():  # where nothing is masked, of one query as of all
        for i, one in enumerate(logits(bench.fit, B)):
            ours = it.logits(B, found._known[tuple(reading.text)][0][bench.fit.text[i]])[:, bench.fit.start[i] :]
            ours = ours[bench.fit.position[i] + bench.fit.start[i], : len(one)]
            np.testing.assert_allclose(ours, one, rtol=0, atol=1e-4 * np.abs(one).max())


def test_the_loss_rises_as_that_of_weights_changed_by_hand(tmp_path):
    """With one head as wide as its tokens, every W is that of keys which are the tokens, and of some queries."""
    model = folder_of(tmp_path, transformers.GPT2Config(vocab_size=25, n_embd=8, n_layer=2, n_head=1, n_positions=20))
    row = inspect.heads(tmp_path, TEXTS, layers=[1], draws=1, norms="fro").iloc[0]
    found, (layer,) = whole.of(reading := Reading(tmp_path, TEXTS, [1])), reading
    bench, W, c_attn = Bench(layer, Plan()), layer.heads[0], model.base_model.h[1].attn.c_attn
    A = bench.whole.certified(selections(bench.fit, W), "fro").W
    query = torch.tensor((W - (W * A).sum() / (A * A).sum() * A)[:8] * np.sqrt(8))
    before = losses(model, found)
    with torch.no_grad():
        c_attn.weight[:, :16], c_attn.bias[:16] = torch.cat([query[:, :8].T, torch.eye(8)], 1), 0.0
        c_attn.bias[:8] = query[:, 8]
    rises = (losses(model, found) - before)[np.isin([*found.texts], bench.held.text)]
    ends = row[["loss_added_fro", "loss_added_low_fro", "loss_added_high_fro"]].astype(float)
    np.testing.assert_allclose(ends, sample_interval(rises), rtol=0, atol=1e-5)
    assert abs(rises.mean()) > 1e-4
