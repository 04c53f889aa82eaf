"""Models with random weights and a tokenizer made on the spot, in the Hugging Face layout.

`import transformers` alone loads no model; every process of the test run collects every file.
"""

import json
import re

import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

transformers.utils.logging.disable_progress_bar()
WORDS = [
    *("the", "a", "cat", "dog", "bird", "sees", "hears", "likes", "red", "old"),
    *("small", "big", "tree", "house", "and", "or", "not", ".", "river", "bread"),
]
TEXTS = [
    f"{a} {b} {c} {d} {e} {f} ."
    for a, b, c, d, e, f in (
        (WORDS[i % 2], WORDS[8 + i % 4], WORDS[2 + i % 3], WORDS[5 + i % 3], WORDS[(i * 7) % 2], WORDS[12 + i % 8])
        for i in range(24)
    )
]


def words_of(texts):
    """Every word and sign of some texts: a tokenizer that knows them all marks none as unknown."""
    return sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]+", text)})


def tokenizer(folder, delimiters=True, words=WORDS):
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] if delimiters else ["[UNK]"]
    vocabulary = {word: number for number, word in enumerate([*special, *words])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    names = {"unk_token": "[UNK]"}
    if delimiters:
        ends = [("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
        made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=ends)
        names |= {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names).save_pretrained(folder)
    return len(vocabulary)


def _spread(model):
    """Weights so large that heads prefer some tokens clearly; biases that are not zero."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and "emb" not in name and ".wte" not in name and ".wpe" not in name:
                parameter.normal_(0.0, 0.4)
            elif name.endswith("bias"):
                parameter.normal_(0.0, 0.3)
    return model


def bert(folder, layers=2, heads=2, width=12, words=WORDS):
    torch.manual_seed(0)
    size = tokenizer(folder, words=words)
    config = transformers.BertConfig(
        vocab_size=size, hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=16,
        max_position_embeddings=20, type_vocab_size=1, initializer_range=0.5,
    )  # fmt: skip
    _spread(transformers.BertModel(config)).save_pretrained(folder)
    return folder


def relative(folder, kind):
    """An encoder of another kind with the layout of BERT."""
    torch.manual_seed(2)
    config = transformers.AutoConfig.for_model(
        kind, vocab_size=tokenizer(folder), hidden_size=12, embedding_size=8, num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=16, max_position_embeddings=20, pad_token_id=0, bos_token_id=2, eos_token_id=3,
        initializer_range=0.5,
    )  # fmt: skip
    _spread(transformers.AutoModel.from_config(config)).save_pretrained(folder)
    return folder


# What makes each family different from the others, at the smallest size that shows it: windows shorter than a text,
# heads in groups, frequencies that are scaled, layers without positions.
GROUPS = {"num_key_value_heads": 2}
LLAMA3 = {"rope_type": "llama3", "rope_theta": 50.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}  # fmt: skip
YARN = {"rope_type": "yarn", "rope_theta": 50.0, "factor": 4.0, "original_max_position_embeddings": 16}
TURNS = {"rope_type": "default", "rope_theta": 30.0}
HALVES = TURNS | {"partial_rotary_factor": 0.5}
TYPED = {"sliding_attention": TURNS, "full_attention": TURNS | {"rope_theta": 300.0}}
LAYERS = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 5}
LATENT = {"kv_lora_rank": 6, "qk_rope_head_dim": 4, "qk_nope_head_dim": 4, "v_head_dim": 3, "head_dim": 4,
          "first_k_dense_replace": 2, "rope_parameters": TURNS}  # fmt: skip
DISENTANGLED = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_biased_input": False}
T5 = {"d_model": 16, "d_kv": 4, "num_heads": 4, "num_layers": 2, "d_ff": 16}
FAMILIES = {
    "llama": GROUPS | {"attention_bias": True, "rope_parameters": LLAMA3},
    "llama, YaRN": {"rope_parameters": YARN},
    "mistral": GROUPS | {"sliding_window": 5},
    "mixtral": {"num_local_experts": 2, "sliding_window": None},
    "qwen2": GROUPS | LAYERS | {"use_sliding_window": True, "max_window_layers": 0},
    "gemma": {"head_dim": 6, "num_key_value_heads": 1},
    "olmo": {},
    "granite": {"attention_multiplier": 0.3},
    "starcoder2": {"sliding_window": 4, "use_bias": True},
    "phi3": GROUPS | {"sliding_window": 6, "original_max_position_embeddings": 64},
    "phi": {"rope_parameters": HALVES},
    "stablelm": {"rope_parameters": HALVES, "use_qkv_bias": True},
    "gpt_neox": {"rope_parameters": HALVES},
    "glm": GROUPS | {"head_dim": 8, "attention_bias": True, "rope_parameters": HALVES},
    "cohere": GROUPS | {"rope_parameters": TURNS},
    "helium": {"head_dim": 4, "rope_parameters": TURNS},
    "ernie4_5": {"head_dim": 4, "use_bias": True, "rope_parameters": TURNS},
    "modernbert": {"layer_types": LAYERS["layer_types"], "local_attention": 8, "rope_parameters": TYPED},
    "cohere2": GROUPS | LAYERS | {"rope_parameters": TURNS},
    "smollm3": GROUPS | {"no_rope_layers": [1, 0], "use_sliding_window": False, "rope_parameters": TURNS},
    "gemma2": LAYERS | {"head_dim": 6, "attn_logit_softcapping": 2.0, "query_pre_attn_scalar": 9},
    "gpt_oss": GROUPS | LAYERS | {"head_dim": 4, "num_local_experts": 2, "num_experts_per_tok": 1,
                                  "rope_parameters": YARN},
    "qwen3": GROUPS | {"head_dim": 6},
    "falcon": {"multi_query": True, "rope_parameters": TURNS},
    "falcon, groups": {"new_decoder_architecture": True, "num_kv_heads": 2, "bias": True, "rope_parameters": TURNS},
    "nomic_bert": {"rope_parameters": TURNS},
    "esm": {"position_embedding_type": "rotary", "mask_token_id": 3},
    "esm, learned": {"position_embedding_type": "absolute", "mask_token_id": 3},
    "olmo2": GROUPS | {"attention_bias": True, "rope_parameters": TURNS},
    "exaone4": GROUPS | LAYERS | {"head_dim": 6, "rope_parameters": TURNS},
    "exaone4, no window": {"sliding_window": None, "layer_types": ["full_attention"] * 2, "rope_parameters": TURNS},
    "apertus": GROUPS | {"head_dim": 6, "rope_parameters": LLAMA3},
    "bloom": {},
    "mpt": {"max_seq_len": 64},
    "mpt, six heads": {"num_attention_heads": 6, "hidden_size": 24},
    "deepseek_v2": LATENT | {"q_lora_rank": None},
    "deepseek_v3": LATENT | {"q_lora_rank": 8, "attention_bias": True, "rope_interleave": True},
    "deepseek_v3, halves": LATENT | {"q_lora_rank": 8, "rope_interleave": False},
    "deberta-v2": DISENTANGLED | {"position_buckets": 4, "max_relative_positions": 16, "norm_rel_ebd": "layer_norm",
                                  "conv_kernel_size": 3},
    "deberta-v2, shared": DISENTANGLED | {"share_att_key": True},
    "t5": {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 12} | T5,
    "mt5": T5,
    "mpnet": {"relative_attention_num_buckets": 32},
    "albert": {"embedding_size": 8, "num_hidden_layers": 3},
    "gemma3_text": LAYERS | {"head_dim": 6, "query_pre_attn_scalar": 9, "rope_parameters": TYPED},
}  # fmt: skip


def rotary_config(name, size=24):
    """The configuration of a family, for a vocabulary of `size` words."""
    more = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 16}
    more |= {"vocab_size": size, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    more |= {} if "d_kv" in FAMILIES[name] else {"num_key_value_heads": 4}
    more = {k: v for k, v in more.items() if "d_kv" not in FAMILIES[name] or "id" in k.split("_") or k == "vocab_size"}
    plain = transformers.AutoConfig.for_model(name.partition(",")[0])
    more = {k: v for k, v in more.items() if k in {*vars(plain), *plain.attribute_map}}
    return type(plain)(**more | FAMILIES[name])


def rotary(name, folder=None, dtype=torch.float64):
    """A model of a family with random weights; in a folder, where one is given, with a tokenizer."""
    torch.manual_seed(3)
    size = 24 if folder is None else tokenizer(folder, delimiters=name in ("modernbert", "mpnet", "albert"))
    config = rotary_config(name, size)
    kind = transformers.AutoModelForTextEncoding if config.is_encoder_decoder else transformers.AutoModel
    model = kind.from_config(config, attn_implementation="eager", experts_implementation="eager", dtype=dtype)
    model = _spread(model).eval()
    for key, parameter in model.named_parameters():  # norms and sinks that are not the same for all
        if "norm" in key or "sinks" in key:
            torch.nn.init.normal_(parameter, 1.0, 0.3)
    if folder is not None:
        model.save_pretrained(folder)
    return model


EVERY = ("bert", "gpt2", "roberta", "xlm-roberta", "camembert", "electra", *FAMILIES)


def read(name, folder, dtype):
    """A model of any kind that is read, as it is in a folder that is made, by its own library."""
    if name in FAMILIES:
        rotary(name, folder, torch.float32)
    else:
        relative(folder, name) if name not in ("bert", "gpt2") else (bert if name == "bert" else gpt2)(folder)
    kind = transformers.AutoModelForTextEncoding if name in ("t5", "mt5") else transformers.AutoModel
    return kind.from_pretrained(folder, attn_implementation="eager", experts_implementation="eager", dtype=dtype)


def passed(model, found, texts):
    """The inputs (B, T, D) and the probabilities (B, heads, T, T) of every attention, of the whole model at once."""
    states, handles = [], []
    for projection in {id(one.projection): one.projection for one in found}.values():
        capture = projection.register_forward_pre_hook(lambda _, given: states.append(given[0].double().numpy()))
        handles.append(capture)
    with torch.no_grad():
        out = model(input_ids=torch.tensor(texts), output_attentions=True)
    for handle in handles:
        handle.remove()
    return states, [probability.numpy() for probability in out.attentions]


def gpt2(folder, layers=2, heads=2, width=12, **more):
    torch.manual_seed(1)
    size = tokenizer(folder, delimiters=False)
    config = transformers.GPT2Config(
        vocab_size=size, n_embd=width, n_layer=layers, n_head=heads, n_positions=20, initializer_range=0.5,
        bos_token_id=None, eos_token_id=None, **more,
    )  # fmt: skip
    _spread(transformers.GPT2Model(config)).save_pretrained(folder)
    return folder


def changed_weights(folder, change, name="model.safetensors"):
    """Change the weights {name: tensor} of a file as the function `change` does, in place."""
    weights = load_file(folder / name)
    change(weights)
    save_file(weights, folder / name, metadata={"format": "pt"})
    return folder


def changed_config(folder, **changes):
    """Change config.json; None takes a key out."""
    path = folder / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
    return folder
