"""Small models in GGUF files, as llama.cpp writes them."""

import gguf
import numpy as np
import torch
import transformers

HEADS, SHARED, WIDTH, LAYERS = 4, 2, 64, 2
LETTERS = ["<|endoftext|>", *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,'-12", "Ġ", "Ġt", "he", "the", "12"]
NAMES = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
         "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
         "post_attention_layernorm": "ffn_norm", "self_attn.q_norm": "attn_q_norm",
         "self_attn.k_norm": "attn_k_norm"}  # fmt: skip
OUTSIDE = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
           "lm_head.weight": "output.weight"}  # fmt: skip


def small(kind, **settings):
    """A model of random weights, biases and factors of norms among them."""
    torch.manual_seed(4)
    more = {"vocab_size": len(LETTERS), "hidden_size": WIDTH, "intermediate_size": 32, "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS, "num_key_value_heads": SHARED, "max_position_embeddings": 64,
            "initializer_range": 0.3, "bos_token_id": 0, "eos_token_id": 0,
            "head_dim": WIDTH // HEADS}  # fmt: skip
    settings_of, model_of = (getattr(transformers, kind.capitalize() + name) for name in ("Config", "ForCausalLM"))
    model = model_of(settings_of(**more | settings)).eval()
    with torch.no_grad():
        for vector in (one for one in model.parameters() if one.ndim == 1):
            vector.add_(0.3 * torch.randn_like(vector))
    return model


def neighbours(rows, heads):
    """Rows of a head (r, ...) as llama.cpp orders them: k and k + r/2 next to each other."""
    parts = rows.reshape(heads, 2, -1, *rows.shape[1:])
    return np.concatenate([np.stack([a, b], 1).reshape(-1, *rows.shape[1:]) for a, b in parts])


def written(
    path,
    model,
    kind="llama",
    stored=gguf.GGMLQuantizationType.F32,
    changes=(),
    left_out=(),
    more=(),
    in_parts=0,
    words=("gpt2", "gpt-2", True),
    pieces=None,
):
    """A GGUF file of a model, or files with so many tensors each."""
    file = gguf.GGUFWriter(path, kind, split_max_tensors=in_parts)
    numbers = {"block_count": LAYERS, "context_length": 64, "embedding_length": WIDTH, "feed_forward_length": 32,
               "attention.head_count": HEADS, "attention.head_count_kv": SHARED,
               "attention.key_length": model.config.head_dim} | dict(changes)  # fmt: skip
    for name, value in numbers.items():
        if value is not None:
            (file.add_string if isinstance(value, str) else file.add_uint32)(f"{kind}.{name}", value)
    file.add_float32(f"{kind}.attention.layer_norm_rms_epsilon", model.config.rms_norm_eps)
    file.add_float32(f"{kind}.rope.freq_base", model.config.rope_parameters["rope_theta"])
    file.add_string("tokenizer.ggml.model", words[0])
    file.add_string("tokenizer.ggml.pre", words[1])
    file.add_bool("tokenizer.ggml.add_space_prefix", words[2])
    if pieces is None:
        file.add_token_list(LETTERS)
        file.add_token_types([3] + [1] * (len(LETTERS) - 1))
        file.add_token_merges(["Ġ t", "h e", "1 2"])
    else:  # of sentencepiece
        every = range(len(pieces))  # the first three: unknown, ends
        file.add_token_list([pieces.id_to_piece(k) for k in every])
        file.add_token_scores([pieces.get_score(k) for k in every])
        file.add_token_types([2, 3, 3] + [6 if pieces.is_byte(k) else 1 for k in every[3:]])
    file.add_bos_token_id(0 if pieces is None else 1)
    file.add_eos_token_id(0 if pieces is None else 2)
    for key, tensor in model.state_dict().items():
        if key == "lm_head.weight" and model.config.tie_word_embeddings:
            continue
        name, values = OUTSIDE.get(key), tensor.numpy()
        if name is None:
            _, _, layer, part = key.split(".", 3)
            name = f"blk.{layer}.{NAMES[part.rsplit('.', 1)[0]]}.{part.rsplit('.', 1)[1]}"
            if kind == "llama" and (".q_proj." in key or ".k_proj." in key):
                values = neighbours(values, HEADS if "q_proj" in key else SHARED)
        if name not in left_out:
            quantised = stored is not gguf.GGMLQuantizationType.F32 and values.ndim == 2 and values.shape[1] % 32 == 0
            values = gguf.quants.quantize(values, stored) if quantised else values
            file.add_tensor(name, values, raw_dtype=stored if quantised else None)
    for name in more:
        file.add_tensor(name, np.zeros(4, dtype=np.float32))
    for write in (file.write_header_to_file, file.write_kv_data_to_file, file.write_tensors_to_file, file.close):
        write()
    return path
