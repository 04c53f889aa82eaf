"""The families of models that are read: one row for each layout of the weights."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from attnsvm.system.errors import require


class Family(NamedTuple):
    """Where the rows of K and Q lie, and how positions act on them.

    Attributes:
        projections: names of the linear maps for queries and keys; one name where they are fused with the values.
        fused: "blocks": all queries, then all keys, then all values; "groups": queries, key and value of each group.
        pairs: which rows turn together: "half" or "interleaved", see `positions.rotary.order`.
        causal: whether a query sees only what came before it.
        norms: names of the norms of queries and keys.
        joint: whether these norms are of all heads together, not of each head.
        still: whether the layer of an attention has no positions.
        cap: the attribute with the bound of a soft cap.
        scale: the attribute with the scale of the logits; where there is none, it is one over the root of the rows.
    """

    projections: tuple[str, ...] = ("q_proj", "k_proj")
    fused: str = ""
    pairs: str = "half"
    causal: bool = True
    norms: tuple[str, ...] = ()
    joint: bool = False
    still: Callable[[Any], bool] | None = None
    cap: str = ""
    scale: str = "scaling"


LLAMA = Family()
INTERLEAVED = Family(pairs="interleaved")
NORMED = Family(norms=("q_norm", "k_norm"))
# A window, grouped queries, biases, partial rotation, its frequencies and its scaling are read from the model itself.
ROTARY = {
    **dict.fromkeys(("llama", "mistral", "mixtral", "qwen2", "gemma", "olmo", "granite", "starcoder2"), LLAMA),
    **dict.fromkeys(("phi", "stablelm", "gpt_oss"), LLAMA),
    "phi3": Family(("qkv_proj",), "blocks"),
    **dict.fromkeys(("gpt_neox", "falcon"), Family(("query_key_value",), "groups")),
    "modernbert": Family(("Wqkv",), "blocks", causal=False),
    "nomic_bert": LLAMA._replace(causal=False),
    # scales its queries before they are turned; its attribute is 1
    "esm": Family(("query", "key"), causal=False, scale="", still=lambda it: it.position_embedding_type != "rotary"),
    **dict.fromkeys(("cohere", "helium", "ernie4_5", "glm"), INTERLEAVED),
    "cohere2": INTERLEAVED._replace(still=lambda it: it.sliding_window is None),
    "smollm3": LLAMA._replace(still=lambda it: not it.use_rope),
    "gemma2": LLAMA._replace(cap="attn_logit_softcapping"),
    **dict.fromkeys(("qwen3", "gemma3_text", "apertus"), NORMED),
    "exaone4": NORMED._replace(still=lambda it: it.sliding_window is not None and not it.is_sliding),
    "olmo2": NORMED._replace(joint=True),
}
# Keys and queries pass a narrow layer with a norm, see `latent`.
LATENT = dict.fromkeys(("deepseek_v2", "deepseek_v3"), Family(("kv_a_proj_with_mqa",), norms=("kv_a_layernorm",),
                                                             pairs="interleaved"))  # fmt: skip
# Vectors for distances, see `disentangled`.
DISENTANGLED = {"deberta-v2": Family(("query_proj", "key_proj"), causal=False)}
# Terms of distance are added to the logits, see `positions.distance`.
ADDED = {
    "bloom": Family(("query_key_value",), "groups"),
    "mpt": Family(("Wqkv",), "blocks", scale="softmax_scale"),
    **dict.fromkeys(("t5", "mt5", "mpnet"), Family(("q", "k"), causal=False)),
}
ENCODERS = ("bert", "roberta", "xlm-roberta", "camembert", "electra", "albert")
# Positions are learned.
PLAIN = {"gpt2": Family(("c_attn",), "blocks"), **dict.fromkeys(ENCODERS, Family(("query", "key"), causal=False))}
LAYOUTS = ROTARY | LATENT | DISENTANGLED | ADDED
DECODERS = ("gpt2", *(kind for kind, family in LAYOUTS.items() if family.causal))

# Settings with which a family leaves its row: {setting: what it does}.
OUTSIDE = {
    "qk_layernorm": "centres queries and keys",
    "use_qk_norm": "centres queries and keys",
    "clip_qkv": "clips queries and keys",
    "qk_ln": "centres queries and keys",
}
NO_SOFTMAX = ("fnet", "mamba", "mamba2", "falcon_mamba", "rwkv", "recurrent_gemma", "xlstm", "poolformer")
RELATIVE = ("deberta", "longt5", "xlnet", "transfo-xl")
SEVERAL = ("diffllama", "qwen3_next", "jamba", "bamba", "granitemoehybrid", "falcon_h1", "zamba", "zamba2", "lfm2")
READ = "docs/inspect.md names the kinds that are read"
ADAPTER = re.compile(r"(adapter|(?<![a-z])lora(?![a-z])).*\.(json|safetensors|bin|pt|gguf|npz)$", re.IGNORECASE)
# Settings that change no attention, whatever they say: of training, of what comes after the last layer, of the library.
IDLE = re.compile(
    r"_(?!\w*(scal|norm|rope|rotary|bias|temper|cap|alibi|mask|window|posit))\w*|_sliding_window_pattern|attn_impl|output_past|"
    r".*drop(out)?(_prob|_fusion)?|.*pdrop|.*_token_ids?|.*_version|.*initializ.*|init_(device|config|std)|.*_loss|summary_.*|"
    r"pooler_.*|output_(attentions|hidden_states|scores|router_logits)|num_beam.*|(max|min|seq|model_max)_length|n_ctx|auto_map|(torch_)?dtype|torchscript|pretraining_tp|"
    r"task_specific_params|finetuning_task|(id2|2)?label(2id)?s?|num_labels|gradient_checkpointing|use_(return_dict|bfloat16)|"
    r"directionality|language|tokenizer_class|prefix|do_sample|temperature|top_[kp]|typical_p|repetition_penalty|"
    r"length_penalty|diversity_penalty|no_repeat_ngram_size|encoder_no_repeat_ngram_size|early_stopping|"
    r"num_return_sequences|bad_words_ids|remove_invalid_values|is_local|local_files_only|net_structure_type|gap_size|"
    r"num_memory_blocks|down_scale_factor|masked_softmax_fusion|slow_but_exact|skip_bias_add(_qkv)?|verbose|"
    r"is_llama_config|cache_implementation|attention_softmax_in_fp32|offset_alibi|n_positions|tokenizer_name|aux_loss_alpha|"
    r"ep_size|seq_aux|moe_layer_freq|experts_per_token|initial_context_length|repad_logits_with_grad"
)
# What no model does for which it is not known: off, it changes nothing.
OFF = ("use_mrope", "rope_interleaved", "attention_bias", "apply_residual_connection_post_layernorm")
# What the library does without asking, and other names of settings: a file may say so.
DOES = {
    "deepseek_v2": {"scoring_func": "softmax"},
    "deepseek_v3": {"scoring_func": "sigmoid", "topk_method": "noaux_tc"},
}
ALSO = {"n_head": "num_attention_heads", "n_layer": "num_hidden_layers", "n_head_kv": "num_kv_heads",
        "layer_norm_eps": "norm_eps"}  # fmt: skip
# What says how frequencies are scaled, by the type; without a type nothing does.
SCALED = {
    "default": "",
    "linear": "factor",
    "dynamic": "factor",
    "yarn": "factor attention_factor beta_fast beta_slow mscale mscale_all_dim truncate",
    "longrope": "factor attention_factor short_factor long_factor",
    "llama3": "factor low_freq_factor high_freq_factor",
}
OF_ALL = {"rope_type", "type", "rope_theta", "original_max_position_embeddings"}


def require_norms(model: Path, kind: object, norms: Sequence[str] | None) -> None:
    """UserError where a norm is asked for that heads of this kind cannot have; None: those that they have."""
    plain = "nuc" not in (norms or ()) or kind not in LAYOUTS or kind in ADDED
    require(plain, f"{model}: its logits depend on distance, so only the Frobenius norm is offered: ask for fro")


def require_read(folder: Path, given: dict) -> None:
    """UserError unless a model with this config.json is one that is read."""
    beside = [path for path in sorted([*folder.glob("*"), *folder.glob("*/*")]) if ADAPTER.search(path.name)]
    named = "".join(str(path.relative_to(folder)) for path in beside[:1])
    require(not beside, f"{folder}: {named} belongs to an adapter, which is not applied; merge it into "
            "the weights, or take it away")  # fmt: skip
    why = refusal(given)
    require(not why, f"{folder}: a model of the kind {given.get('model_type')!r} {why}; {READ}")


def require_known(path: Path, given: dict, config: Any, source: str) -> None:
    """UserError unless each setting of config.json is one that the model heeds, or one that changes no attention.

    Args:
        given: what config.json says. config: what the library makes of it.
        source: those of the modules with the model and with its configuration, which may take settings by other names.
    """
    heeded = {*vars(type(config)()), *config.attribute_map, "model_type", "is_decoder", "position_embedding_type"}
    asked = {*re.findall(r"config\.(\w+)", source), *re.findall(r"(?:config, |kwargs\.\w+\()[\"'](\w+)[\"']", source)}
    partial = {"partial_rotary_factor"} & {*re.findall(r"\w+", source)}
    asked |= {"rope_theta", "rope_scaling", *partial} if hasattr(config, "rope_parameters") else set()
    unknown = [name for name in given if name not in heeded | asked and not IDLE.fullmatch(name)]
    same = DOES.get(config.model_type, {}) | {name: getattr(config, other, None) for name, other in ALSO.items()}
    unknown = [k for k in unknown if given[k] not in (None, [], {}, "", same.get(k))]
    unknown = [
        k for k in unknown if (k not in OFF or given[k] is not False) and (k, given[k]) != ("partial_rotary_factor", 1)
    ]
    scaled = getattr(config, "rope_parameters", None) or {}
    for one in [scaled] if "rope_type" in scaled else [kind for kind in scaled.values() if isinstance(kind, dict)]:
        known = OF_ALL | partial | {*SCALED.get(one.get("rope_type", ""), "").split()}
        unknown += [f"rope_parameters.{name}" for name in one if name not in known and one[name] != 1]
    parts = {name: inner for name, inner in given.items() if isinstance(inner, dict)}
    for name, inner in parts.items():
        if hasattr(own := getattr(config, name, None), "model_type"):  # settings of a part
            plain, used = vars(type(own)()), {*re.findall(rf"{name}\.(\w+)", source), "model_type"}
            others = [k for k in inner if inner[k] not in (None, plain.get(k)) and not IDLE.fullmatch(k)]
            unknown += [f"{name}.{k}" for k in others if k not in used]
    require(not unknown, f"{path}: {', '.join(unknown[:3])}: not known for a model of the kind {config.model_type!r}, "
            "so it may compute otherwise; take out what changes nothing")  # fmt: skip


def refusal(given: dict) -> str:
    """Why a model of this config.json is not read, the end of a sentence; "" where it is."""
    kind = given.get("model_type")
    kinds, own = (*ENCODERS, *DECODERS, *LAYOUTS), ("absolute", "rotary") if kind == "esm" else ("absolute",)
    if kind in NO_SOFTMAX:
        return "has no softmax attention, so it selects no tokens"
    if kind in SEVERAL:
        return "has attention that is no single softmax, or is linear, in some layers"
    if kind in RELATIVE or given.get("position_embedding_type", "absolute") not in own:
        return "adds terms that depend on distance to its logits"
    if kind == "falcon" and given.get("alibi"):
        return "adds linear biases that transformers rounds to bfloat16, and adds twice where it gives probabilities"
    if kind not in kinds:
        return "has an unknown layout"
    parts, made = given.get("attn_config"), given.get("auto_map")
    given = given | (parts if isinstance(parts, dict) else {})
    classes = str(given.get("architectures") or "") if made else ""
    named = re.findall(r"AutoModel\w*': '[^']*\.(\w+)'", str(made)) + re.findall(r"\w+", classes)
    library = re.compile(re.sub("_text$|[-_]", "", kind) + "(model|for|lmhead|encoder)")
    own = [name for name in named if not library.match(str(name).replace("_", "").lower())]
    if own:
        return f"is computed by code of its own ({own[0]}), which is not run"
    packed = given.get("quantization_config")
    if packed:
        how = packed.get("quant_method", "quantization_config") if isinstance(packed, dict) else "quantization_config"
        return (
            f"has quantised weights ({how} in config.json), which are not read; give it in float32, float16 or bfloat16"
        )
    outside = [name for name in OUTSIDE if given.get(name)]
    if outside:
        return f"{OUTSIDE[outside[0]]} ({outside[0]} in config.json), so no lifted W gives its logits"
    decoder = kind not in DECODERS and given.get("is_decoder")
    return "is used as a decoder, which is not read" if decoder else ""
