"""Models with random weights and a tokenizer made on the spot, in the Hugging Face layout."""

import json
import re

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import AutoConfig, AutoModel, BertConfig, BertModel, GPT2Config, GPT2Model, PreTrainedTokenizerFast

WORDS = [
    *("the", "a", "cat", "dog", "bird", "sees", "hears", "likes", "red", "old"),
    *("small", "big", "tree", "house", "and", "or", "not", ".", "river", "bread"),
]
TEXTS = [
    f"{a} {b} {c} {d} {e} {f} ."
    for a, b, c, d, e, f in (
        (WORDS[i % 2], WORDS[8 + i % 4], WORDS[2 + i % 3], WORDS[5 + i % 3], WORDS[(i * 7) % 2], WORDS[12 + i % 6])
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
    PreTrainedTokenizerFast(tokenizer_object=made, **names).save_pretrained(folder)
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
    config = BertConfig(
        vocab_size=size, hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=16,
        max_position_embeddings=20, type_vocab_size=1, initializer_range=0.5,
    )  # fmt: skip
    _spread(BertModel(config)).save_pretrained(folder)
    return folder


def relative(folder, kind):
    """An encoder of another kind with the layout of BERT."""
    torch.manual_seed(2)
    config = AutoConfig.for_model(
        kind, vocab_size=tokenizer(folder), hidden_size=12, embedding_size=8, num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=16, max_position_embeddings=20, pad_token_id=0, bos_token_id=2, eos_token_id=3,
        initializer_range=0.5,
    )  # fmt: skip
    _spread(AutoModel.from_config(config)).save_pretrained(folder)
    return folder


def gpt2(folder, layers=2, heads=2, width=12, **more):
    torch.manual_seed(1)
    size = tokenizer(folder, delimiters=False)
    config = GPT2Config(
        vocab_size=size, n_embd=width, n_layer=layers, n_head=heads, n_positions=20, initializer_range=0.5,
        bos_token_id=None, eos_token_id=None, **more,
    )  # fmt: skip
    _spread(GPT2Model(config)).save_pretrained(folder)
    return folder


def changed_config(folder, **changes):
    """Change config.json; None takes a key out."""
    path = folder / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
    return folder
