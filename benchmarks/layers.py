"""`attnsvm inspect` reads a model layer by layer: peak memory and seconds, beside the whole model read at once.

python benchmarks/layers.py                          24 layers of 1,024 dimensions with random weights, of Llama's kind
python benchmarks/layers.py --layers 32 --cap 3      address space, in GB beyond that of the libraries

Both run under the same cap on address space; a way that needs more is said not to fit.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModel, LlamaConfig, PreTrainedTokenizerFast

from attnsvm.inspect import sentences
from attnsvm.inspect.models import Reading

TEXTS = 20
WAYS = ("layer by layer", "whole")


def make(folder: Path, layers: int, width: int) -> float:
    """A sharded model with random weights in bfloat16; the GB that it takes in float64."""
    words = sorted({word for text in sentences() for word in text.split()})
    tokenizer = Tokenizer(models.WordLevel({word: k for k, word in enumerate(["[UNK]", *words])}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]").save_pretrained(folder)
    config = LlamaConfig(vocab_size=len(words) + 1, hidden_size=width, intermediate_size=4 * width,
                         num_hidden_layers=layers, num_attention_heads=width // 64)  # fmt: skip
    config.save_pretrained(folder)
    with torch.device("meta"):
        shapes = {name: one.shape for name, one in AutoModel.from_config(config).named_parameters()}
    index, generator = {}, torch.Generator().manual_seed(0)
    for layer in range(-1, layers):
        mine = {name for name in shapes if name.startswith(f"layers.{layer}.") or (layer < 0 and "layers" not in name)}
        made = {name: torch.randn(shapes[name], generator=generator) * 0.02 for name in sorted(mine)}
        index |= dict.fromkeys(made, f"model-{layer + 1:05d}.safetensors")
        save_file({name: one.bfloat16() for name, one in made.items()}, folder / f"model-{layer + 1:05d}.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    return 8e-9 * sum(shape.numel() for shape in shapes.values())


def read(folder: Path, way: str, cap: float) -> None:
    """Print peak memory and seconds of one way, under the cap."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(cap * 1e9),) * 2)
    before, clock = peak(), time.perf_counter()
    try:
        if way == "whole":
            AutoModel.from_pretrained(folder, dtype=torch.float64)
        else:
            for _ in Reading(folder, sentences()[:TEXTS]):
                pass
    except (MemoryError, RuntimeError) as error:
        print(f"does not fit ({str(error).splitlines()[0][:60]}) |  |")
        return
    print(f"{peak() - before:.2f} GB | {time.perf_counter() - clock:.0f} |")


def peak() -> float:
    """GB resident at most so far. What `resource` says would count the process that started this one, too."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--cap", type=float, default=1.5, help="GB of address space beyond the libraries")
    parser.add_argument("--read", nargs=2, metavar=("FOLDER", "WAY"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        return read(Path(given.read[0]), given.read[1], given.cap)
    with tempfile.TemporaryDirectory() as folder:
        size = make(Path(folder), given.layers, given.width)
        print(f"{given.layers} layers of {given.width} dimensions, {size:.1f} GB in float64, cap {given.cap} GB\n")
        print("| read | peak memory beyond the libraries | seconds |\n|---|---|---|")
        for way in WAYS:
            print(f"| {way} | ", end="", flush=True)
            subprocess.run([sys.executable, __file__, "--cap", str(given.cap), "--read", folder, way], check=True)


if __name__ == "__main__":
    main()
