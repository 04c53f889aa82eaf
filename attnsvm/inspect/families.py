"""The families of models that are read: one row for each layout of the weights."""

from typing import NamedTuple


class Family(NamedTuple):
    """Where the rows of K and Q lie, and how positions act on them.

    Attributes:
        projections: names of the linear maps for queries and keys; one name where they are fused with the values.
        fused: "blocks": all queries, then all keys, then all values; "heads": the three of one head after another.
        pairs: which rows turn together: "half" or "interleaved", see `positions.rotary.order`.
        causal: whether a query sees only what came before it.
        norms: names of the norms of queries and keys, within a head.
        still: the attribute of an attention that is false, or None, where its layer has no positions.
        cap: the attribute with the bound of a soft cap.
    """

    projections: tuple[str, ...] = ("q_proj", "k_proj")
    fused: str = ""
    pairs: str = "half"
    causal: bool = True
    norms: tuple[str, ...] = ()
    still: str = ""
    cap: str = ""


LLAMA = Family()
INTERLEAVED = Family(pairs="interleaved")
NORMED = Family(norms=("q_norm", "k_norm"))
# A window, grouped queries, biases, partial rotation, its frequencies and its scaling are read from the model itself.
ROTARY = {
    **dict.fromkeys(("llama", "mistral", "mixtral", "qwen2", "gemma", "olmo", "granite", "starcoder2"), LLAMA),
    **dict.fromkeys(("phi", "stablelm", "gpt_oss"), LLAMA),
    "phi3": Family(("qkv_proj",), "blocks"),
    "gpt_neox": Family(("query_key_value",), "heads"),
    "modernbert": Family(("Wqkv",), "blocks", causal=False),
    **dict.fromkeys(("cohere", "helium", "ernie4_5", "glm"), INTERLEAVED),
    "cohere2": INTERLEAVED._replace(still="sliding_window"),
    "smollm3": LLAMA._replace(still="use_rope"),
    "gemma2": LLAMA._replace(cap="attn_logit_softcapping"),
    **dict.fromkeys(("qwen3", "gemma3_text"), NORMED),
}
# Terms of distance are added to the logits, see `positions.distance`.
ADDED = {
    "bloom": Family(("query_key_value",), "heads"),
    **dict.fromkeys(("t5", "mt5", "mpnet"), Family(("q", "k"), causal=False)),
}
ENCODERS = ("bert", "roberta", "xlm-roberta", "camembert", "electra", "albert")
DECODERS = ("gpt2", "bloom", *(kind for kind, family in ROTARY.items() if family.causal))

# Settings with which a family leaves its row: {setting: what it does}.
OUTSIDE = {
    "qk_layernorm": "centres queries and keys",
    "use_qk_norm": "centres queries and keys",
    "clip_qkv": "clips queries and keys",
}
NO_SOFTMAX = ("fnet", "mamba", "mamba2", "falcon_mamba", "rwkv", "recurrent_gemma", "xlstm", "poolformer")
RELATIVE = ("deberta", "deberta-v2", "longt5", "xlnet", "mpt", "transfo-xl")
SEVERAL = ("diffllama", "qwen3_next", "jamba", "bamba", "granitemoehybrid", "falcon_h1", "zamba", "zamba2", "lfm2")
READ = "docs/inspect.md names the kinds that are read"


def refusal(given: dict) -> str:
    """Why a model of this config.json is not read, the end of a sentence; "" where it is."""
    kind = given.get("model_type")
    kinds = (*ENCODERS, *DECODERS, *ROTARY, *ADDED)
    if kind in NO_SOFTMAX:
        return "has no softmax attention, so it selects no tokens"
    if kind in SEVERAL:
        return "has attention that is no single softmax, or is linear, in some layers"
    if kind in RELATIVE or given.get("position_embedding_type", "absolute") != "absolute":
        return "adds terms that depend on distance to its logits"
    if kind not in kinds:
        return "has an unknown layout"
    outside = [name for name in OUTSIDE if given.get(name)]
    if outside:
        return f"{OUTSIDE[outside[0]]} ({outside[0]} in config.json), so no lifted W gives its logits"
    return "is used as a decoder, which is not read" if kind in ENCODERS and given.get("is_decoder") else ""
