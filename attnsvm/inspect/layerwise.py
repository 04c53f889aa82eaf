"""A model that is read and run one layer after another: in memory are the weights of one, and what does not repeat.

The model is made without weights. A layer gets its own when its turn comes, and all texts pass it, those of
one length together. They pass it by the model's own `forward`, in which the layers before and after hand on what these
texts have become: the operations, and so the numbers, are those of the whole model.

`transformers` has no public way to read some weights of a model. What is taken from its workings (seen in 5.23) is
`get_model_conversion_mapping`, `rename_source_key`, `LoadStateDictConfig` and `convert_and_load_state_dict_in_model`:
how the weights of older and of fused layouts are called.
"""

import copy
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
import transformers
from torch.nn.modules.module import register_module_parameter_registration_hook

from attnsvm.inspect.attention import Attention, attentions, modules
from attnsvm.inspect.checkpoint import PLAIN, Checkpoint
from attnsvm.inspect.families import READ
from attnsvm.inspect.tokens import FILE
from attnsvm.system import machine
from attnsvm.system.errors import UserError, first_line, require

TABLES = (r"\.inv_freq$", r"\.masked_bias$", r"\.position_ids$")  # which models make anew, and some have saved
MANY = 20  # times as many weights as on disk are more than any model has that is read
TOGETHER = 2**17  # pairs of tokens in a batch
# Heads for words, classes and other ends of texts, where names do not say what is below them.
HEADS = re.compile(r"(\w*_)?(head|cls|classifier|score|pooler|predictions|projector|qa_outputs|decoder)s?\b")
# Of these, or callable, is what a module computes with beside tensors; what FREE names has no effect.
SIMPLE = (bool, int, float, str, type(None), tuple, list, dict, transformers.PreTrainedConfig)
FREE = re.compile(r"_.*|p|.*drop.*|training|gradient_checkpointing|.*_cached|name_or_path|warnings_issued|attn_impl.*")
OUTSIDE = ""  # where weights lie that belong to no layer


@contextmanager
def quiet() -> Iterator[None]:
    """The library shows and says nothing inside."""
    logging = transformers.utils.logging
    shown, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if shown:
            logging.enable_progress_bar()


class Walk:
    """A model in a folder, and some texts on their way through it.

    Attributes:
        attentions: of every layer, in the order in which layers are applied; a layer may be applied several times.
        texts: token numbers, one list for each text.
        batches: the numbers of texts of one length, which pass together; `TOGETHER` bounds their pairs of tokens.
        device: where the model runs.
        become: what the layer last passed made of each batch; None before the first.

    Raises:
        UserError: the weights cannot be read, or do not fit config.json.
    """

    attentions: list[Attention]

    def __init__(self, folder: Path, config, texts: Sequence[Sequence[int]], device: str = "cpu"):
        self.folder, self.texts, self.device = folder, [list(ids) for ids in texts], device
        lengths: dict[int, list[int]] = defaultdict(list)
        for text, ids in enumerate(texts):
            lengths[len(ids)].append(text)
        most = {length: max(1, TOGETHER // length**2) for length in lengths}
        self.batches = [some[k : k + most[n]] for n, some in lengths.items() for k in range(0, len(some), most[n])]
        self.become: list = [None] * len(self.batches)
        from transformers.conversion_mapping import get_model_conversion_mapping  # two seconds: when a model is there

        self.checkpoint = Checkpoint(folder)
        encoder = config.model_type in ("t5", "mt5")  # the encoder alone, whether or not the folder has a decoder
        kind = transformers.AutoModelForTextEncoding if encoder else transformers.AutoModel
        how = {"attn_implementation": "eager", "experts_implementation": "eager", "dtype": torch.float64}
        given = lambda: kind.from_config(copy.deepcopy(config), **how), len(self.checkpoint.shapes)
        self.model = without_weights(*given, "meta", folder / "config.json")
        names = [name for name, _ in modules(self.model, config.model_type)]
        require(bool(names), f"{folder}: no attention is found in a model of the kind {config.model_type!r}; {READ}")
        self.layers = [layer_of(name) for name in names]
        self._mapping = get_model_conversion_mapping(self.model)
        self._empty = dict(self.model.state_dict())
        self._keys: dict[str, list[str]] = defaultdict(list)
        self._names: dict[str, str] = {}
        self._assign()
        self._require_memory()
        self.model = without_weights(*given, device, folder / "config.json")
        self._empty = dict(self.model.state_dict())
        self._read_outside()
        for layer in dict.fromkeys(self.layers):
            module = self.model.get_submodule(layer)
            module.forward = self._in_turn(module.forward)
        self._number = self._batch = self._applied = 0
        with self._weights_of(self.layers[0]), self._own_way("found"):  # where some keep what all layers need
            self.attentions = attentions(self.model, config.model_type)

    @contextmanager
    def layer(self, number: int) -> Iterator[Attention]:
        """Its attention; its weights are in memory inside."""
        self._number = number
        with self._weights_of(self.layers[number]):
            yield self.attentions[number]

    def run(self, batch: int) -> tuple[np.ndarray, np.ndarray]:
        """The input (B, T, D) and the probabilities (B, heads, T, T) of the attention of this layer, for one batch.

        Its texts have passed the layers before, and have passed this one afterwards.
        """
        states = []

        def capture(_, inputs):
            states.append(inputs[0].cpu().numpy().astype(np.float64))

        attention = self.attentions[self._number]
        self._batch, self._applied = batch, 0
        handle = attention.projection.register_forward_pre_hook(capture)
        try:
            with torch.no_grad(), self._own_way("computed"):
                ids = torch.tensor([self.texts[k] for k in self.batches[batch]], device=self.device)
                out = self.model(input_ids=ids, output_attentions=True)
        finally:
            handle.remove()
        require(self._applied == len(self.layers) and len(states) == 1, f"{self.attentions[0].name}: expected "
                f"{len(self.layers)} layers in turn, {self._applied} were applied")  # fmt: skip
        return states[0], out.attentions[-1].cpu().numpy()

    @contextmanager
    def _own_way(self, done: str) -> Iterator[None]:
        """Each kind of model fails in its own way where its settings do not fit together."""
        try:
            yield
        except UserError:
            raise
        except Exception as error:
            said = f"{self.folder}/config.json: the attention that it describes cannot be {done} ({first_line(error)})"
            raise UserError(said) from error

    def _require_memory(self) -> None:
        """UserError where tables that a model makes of its settings, and that are no weights, do not fit."""
        need, free = sum(one.nbytes for one in self.model.buffers()), machine.memory()
        require(need < free, f"{self.folder}/config.json: its tables take {need / 1e9:.3g} GB, {free / 1e9:.3g} GB are "
                "free")  # fmt: skip

    def _in_turn(self, forward):
        """The layer's own forward where it is its turn, and else what the batch has become."""

        def handed_on(*given, **named):
            if self._applied == self._number:
                self.become[self._batch] = forward(*given, **named)
            self._applied += 1
            return self.become[self._batch]

        return handed_on

    def _assign(self) -> None:
        """Find for every name on disk the weights that it fills, and for every layer its names on disk."""
        from transformers.core_model_loading import WeightConverter, WeightRenaming, rename_source_key

        renamings = [one for one in self._mapping if isinstance(one, WeightRenaming)]
        converters = [one for one in self._mapping if isinstance(one, WeightConverter)]
        filled: dict[str, str] = {}
        together = set()  # layers in which several weights on disk make one, or one makes several
        for key in self.checkpoint.shapes:
            for mapping in ((renamings, converters), ([], [])):
                name, source = rename_source_key(key, *mapping, self.model.base_model_prefix, self._empty)
                if name in self._empty:
                    layer = self._layer_with(name)
                    first = filled.setdefault(name, key)
                    file = self.checkpoint.files[key]
                    require(
                        source or first == key, f"{file}: the weights {key} are there as {first}, too; take one away"
                    )
                    self._names[key] = name
                    self._keys[layer].append(key)
                    together |= {layer} if source else set()
                    self._require_fits(key, name, shape_too=source is None)
                    break
            else:
                self._require_no_loss(key)
        layers = {name: self._layer_with(name) for name, _ in self.model.named_parameters()}
        self._require_there(
            [name for name, layer in layers.items() if layer not in {OUTSIDE, *together} and name not in filled]
        )

    def _read_outside(self) -> None:
        """What belongs to no layer; of the table of words, which is large, the rows that the texts use."""
        words = self.model.get_input_embeddings()
        same = {name for name, one in self.model.named_parameters(remove_duplicate=False) if one is words.weight}
        tables = [one for one in self.model.modules() if getattr(one, "weight", None) is words.weight]
        of_words = [key for key in self._keys[OUTSIDE] if self._names[key] in same]
        self._require_there([] if of_words else sorted(same))
        used = np.unique(np.concatenate(self.texts))
        count = words.num_embeddings
        require(used[-1] < count, f"{self.folder}: its tokenizer makes token {used[-1]}, and config.json says that "
                f"there are {count}")  # fmt: skip
        with self.checkpoint.tensors(of_words[:1]) as tensors:
            rows = torch.nn.Parameter(tensors[of_words[0]][used].to(self.device, torch.float64), requires_grad=False)
        place = np.zeros(used[-1] + 1, dtype=np.int64)
        place[used] = np.arange(len(used))
        place = torch.tensor(place, device=self.device)
        for table in tables:
            table.weight, table.padding_idx = rows, None
            table.register_forward_pre_hook(lambda _, given: (place[given[0]], *given[1:]))
        self._read(OUTSIDE, [key for key in self._keys[OUTSIDE] if key not in of_words])

    @contextmanager
    def _weights_of(self, layer: str) -> Iterator[None]:
        empty = dict(self.model.get_submodule(layer).named_parameters(prefix=layer))
        try:
            self._read(layer, self._keys[layer])
            yield
        finally:
            for name, one in empty.items():
                self._set(name, one)

    @quiet()
    def _read(self, layer: str, keys: Sequence[str]) -> None:
        """Give a layer, or what belongs to none, its weights, given their names on disk."""
        from transformers.core_model_loading import convert_and_load_state_dict_in_model
        from transformers.modeling_utils import LoadStateDictConfig

        how = LoadStateDictConfig(dtype=torch.float64, weight_mapping=self._mapping, device_map={"": self.device})
        with self.checkpoint.tensors(keys) as tensors:
            found, _ = convert_and_load_state_dict_in_model(self.model, tensors, how)
        for name, error in sorted(found.conversion_errors.items()):
            raise UserError(f"{self.checkpoint.named_by}: the weights {name} cannot be put together ({error})")
        for name, given, wanted in sorted(found.mismatched_keys):
            raise UserError(self._does_not_fit(self.checkpoint.named_by, name, given, wanted))
        mine = {name: one for name, one in self.model.named_parameters() if self._layer_with(name) == layer}
        for name in [name for name, one in mine.items() if one.is_meta and name.startswith("pooler.")]:
            # It comes after the last layer, and a model without it is as good here.
            mine[name] = torch.nn.Parameter(
                torch.zeros(mine[name].shape, dtype=torch.float64, device=self.device), requires_grad=False
            )
            self._set(name, mine[name])
        self._require_there([name for name, one in mine.items() if one.is_meta])
        where = {name: self.checkpoint.files[key] for key, name in self._names.items()}
        for name, one in mine.items():
            finite = bool(torch.isfinite(one).all())
            require(finite, f"{where.get(name, self.checkpoint.named_by)}: the weights {name} have NaN or infinity")

    def _set(self, name: str, parameter: torch.nn.Parameter) -> None:
        path, _, last = name.rpartition(".")
        setattr(self.model.get_submodule(path), last, parameter)

    def _layer_with(self, name: str) -> str:
        return next((layer for layer in self.layers if name.startswith(f"{layer}.")), OUTSIDE)

    def _require_there(self, names: Sequence[str]) -> None:
        require(not names, f"{self.checkpoint.named_by}: the weights {', '.join(names[:3])} are not in it")

    def _require_fits(self, key: str, name: str, shape_too: bool) -> None:
        file, kind, shape = self.checkpoint.files[key], self.checkpoint.kinds[key], self.checkpoint.shapes[key]
        stored = kind in PLAIN or not self._empty[name].is_floating_point()
        require(stored, f"{file}: the weights {key} are stored as {kind}, a quantised format that is not read; give "
                "them as F32, F16 or BF16")  # fmt: skip
        wanted = tuple(self._empty[name].shape)
        if shape_too and shape != wanted:
            raise UserError(self._does_not_fit(file, name, shape, wanted))

    def _require_no_loss(self, key: str) -> None:
        """What has no place may be a head for words, but nothing that the model below it would compute with."""
        ignored = (*(self.model._keys_to_ignore_on_load_unexpected or ()), *TABLES)
        begin = f"{self.model.base_model_prefix}."
        inside = {begin} & {name[: len(begin)] for name in self.checkpoint.shapes} or {""}
        parts = [*inside, *(f"{name}." for name, _ in self.model.named_children())]
        free = not key.startswith(tuple(parts)) or ("" in inside and HEADS.match(key))
        require(free or any(re.search(one, key) for one in ignored), f"{self.checkpoint.files[key]}: the weights "
                f"{key} have no place in the model that config.json describes")  # fmt: skip

    @staticmethod
    def _does_not_fit(file, name, given, wanted) -> str:
        sides = (" × ".join(map(str, shape)) or "a single number" for shape in (given, wanted))
        return "{}: the weights {} are {}, and config.json asks for {}".format(file, name, *sides)


def without_weights(make: Callable, count: int, device: str, place: object = "it"):
    """The model that `make` makes with parameters that have shapes and no numbers; what is no parameter is there.

    Args:
        count: how many weights there are: a model with many more is not made to its end.
        device: "meta": what is no parameter has shapes alone, too.
        place: of its settings, for the sentence of a UserError.
    """
    left = MANY * (count + MANY)

    def emptied(_, __, parameter):
        nonlocal left
        left -= 1
        require(left > 0, f"it describes many more weights than the {count} that are there")
        if parameter is None or parameter.is_meta:  # one that is shared stays the same
            return parameter
        return torch.nn.Parameter(parameter.detach().to("meta"), requires_grad=False)

    handle = register_module_parameter_registration_hook(emptied)
    try:
        with torch.device(device):
            return make().eval()
    except Exception as error:  # each kind of model fails in its own way
        raise UserError(f"{place}: no model can be made of it ({first_line(error)})") from error
    finally:
        handle.remove()


def layer_of(attention: str) -> str:
    """The layer with this attention: what is repeated is numbered."""
    parts = attention.split(".")
    number = next((k for k, part in enumerate(parts) if part.isdigit()), len(parts))
    return ".".join(parts[: number + 1])


@quiet()
def save(model, tokenizer, folder: Path) -> None:
    """Write a model in memory and its tokenizer into a folder, without the cut that its last call asked for.

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


def _unlike(model) -> str:
    """What a model computes with that one of the same settings has not, or has otherwise; "" where there is nothing."""
    same = without_weights(lambda: type(model)(copy.deepcopy(model.config)), len([*model.parameters()]), "cpu")
    plain = dict(same.named_modules(remove_duplicate=False))
    for name, module in model.named_modules(remove_duplicate=False):
        kind, other = type(module), plain.get(name)
        if kind is not type(other):
            return f"a {kind.__name__} in {name}"
        hooks = [*module._forward_hooks.values(), *module._forward_pre_hooks.values()]
        what = ["a hook" for one in hooks if not getattr(one, "__module__", "").startswith("transformers.")]
        held = [dict(one.named_parameters("", False)) | dict(one.named_buffers("", False)) for one in (module, other)]
        mine, theirs = held
        made = mine.keys() & other._non_persistent_buffers_set  # not saved; some have been in half precision
        what += [k for k in made if not torch.allclose(mine[k].cpu().to(theirs[k].dtype), theirs[k], rtol=0.01)]
        what += sorted(mine.keys() - theirs.keys())
        mine, theirs = vars(module), vars(other)
        what += [k for k in mine.keys() - theirs.keys() if callable(mine[k]) and callable(getattr(kind, k, None))]
        compared = [k for k, v in theirs.items() if not FREE.fullmatch(k) and (isinstance(v, SIMPLE) or callable(v))]
        what += [k for k in compared if repr(mine.get(k)) != repr(theirs[k])]
        if what:
            return f"{what[0]} in {name or 'the model itself'}"
    return ""
