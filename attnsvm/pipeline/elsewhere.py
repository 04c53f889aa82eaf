"""Other settings of an experiment: shapes, tokens, schedules and seeds under which its claims are tried.

`variants(card, values)` says which there are. The usual ones follow from the kinds of an experiment's settings
(types.yaml); what a card says under `elsewhere` is laid over them:

    elsewhere:
      usual: [seeds, shapes, schedule]              of the four groups, those that make sense; by default all, but
                                                    tokens only where the problems are those of a usual grid
      every: {problems: {instances: 16}}            settings that every variant has
      seconds: 8                                    of processor time that a variant takes: as many of the usual ones
                                                    are run as `BUDGET` allows, in the order of `FIRST`
      one_hot: null                                 a usual variant that makes no sense here, or that says nothing
      near_noise: {text: "noise of size 1", settings: {problems: {noise: 1.0}}}

A variant that breaks a bound or a relation of the settings is left out. `elsewhere/NAME/VARIANT` is the name of the
experiment with these settings: it is planned, cut, cached and proved as every other, below results/elsewhere. With
LONGER at its end it is run on: ten times the steps, for the claims that fail after those of the variant.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from attnsvm.pipeline import ast_slice, cards
from attnsvm.pipeline.checking import first_error, related
from attnsvm.system.errors import UserError, require
from attnsvm.system.lazy import modules_in

TOKENS = "attnsvm.data.tokens"
DISTRIBUTION = "distribution"  # a setting of `problems`: the module of TOKENS that draws the tokens anew
HELPERS = ("streams",)  # modules of TOKENS that are no distribution
DISTINCT = (
    "one_hot",
)  # distributions with no more different tokens than dimensions; copies share the softmax for ever
QUERIES = ("one_query",)  # distributions of queries: no variant where the first token of an input is its query
GROUPS = ("seeds", "shapes", "tokens", "schedule", "other")
NEW_SEEDS = 1_000_000  # after the own ones
SHARE, LEAST = 4, 8  # of the own number of instances every variant has a quarter, eight at least
LONG = 10  # times the steps
OTHER_SEEDS = "other_seeds"
TEN_TIMES, OF_ONE_PROBLEM = "ten_times", ("seeds", "schedule")  # the variant that runs these groups on
LONGER = "_on"  # ends the name of a variant that is run on
BUDGET, SMALLEST = 40.0, 2  # seconds of processor time for an experiment's variants, and how many usual ones at least
FURTHER = 100.0  # of them for variants that are run on
START = 1.5  # of them to start a job
KEYS = ("usual", "every", "seconds")  # of what a card says of all its variants
FIRST = (  # which usual variants are run where not all can be
    *(OTHER_SEEDS, "one_hot", "narrow", "heavy", "three_tokens", "one_query", "twice_steps", "many_inputs"),
    *("correlated", "half_step", "repeated", "few_inputs", "signs", "lengths", "ten_times", "wide", "many_tokens"),
)

Values = dict[str, dict]  # settings by stage


class Variant(NamedTuple):
    """Other settings: which group they are of, what a sentence calls them, and the settings that change, by stage."""

    group: str
    text: str
    settings: Values


class Usual(NamedTuple):
    """A usual variant: what becomes of every setting of a kind, how much the work grows, and its words."""

    group: str
    text: str
    made: dict[str, Callable]
    work: float = 1.0


def _each(change: Callable) -> Callable:
    """The change of a number, or of each in a list."""
    return lambda value: list(dict.fromkeys(map(change, value))) if isinstance(value, list) else change(value)


def _of_inputs(change: Callable) -> dict[str, Callable]:
    pairs = lambda shapes: [[change(n), T] for n, T in shapes]  # noqa: E731
    return {"inputs": _each(change), "list_of_inputs": _each(change), "shapes": pairs}


def _of_tokens(change: Callable) -> dict[str, Callable]:
    pairs = lambda shapes: [list(p) for p in dict.fromkeys((n, change(T)) for n, T in shapes)]  # noqa: E731
    return {"tokens": _each(change), "list_of_tokens": _each(change), "shapes": pairs}


def _times(factor: float) -> Callable:
    return _each(lambda value: value * factor)


USUAL = {
    OTHER_SEEDS: Usual("seeds", "other seeds", {"seed": lambda first: first + NEW_SEEDS}),
    "few_inputs": Usual("shapes", "half the inputs", _of_inputs(lambda n: max(2, n // 2))),
    "many_inputs": Usual("shapes", "twice the inputs", _of_inputs(lambda n: 2 * n), 2),
    "three_tokens": Usual("shapes", "three tokens", _of_tokens(lambda T: 3)),
    "many_tokens": Usual("shapes", "twice the tokens", _of_tokens(lambda T: 2 * T), 2),
    "narrow": Usual("shapes", "half the dimension", {"dimension": lambda d: max(2, d // 2)}),
    "wide": Usual("shapes", "four times the dimension", {"dimension": lambda d: 4 * d}, 2),
    "twice_steps": Usual("schedule", "twice the steps", {"steps": _times(2), "log_every": _times(2)}, 2),
    TEN_TIMES: Usual("schedule", "ten times the steps", {"steps": _times(LONG), "log_every": _times(LONG)}, LONG),
    "half_step": Usual(
        "schedule", "half the step size", {"learning_rate": _times(0.5), "steps": _times(2), "log_every": _times(2)}, 2
    ),
}


# Of settings of a kind: the largest number of tokens, and the dimensions that hold so many.
MOST_TOKENS: dict[str, Callable] = {
    "tokens": int,
    "list_of_tokens": max,
    "shapes": lambda all_: max(T for _, T in all_),
}
ROOM: dict[str, Callable] = {"dimension": max, "list_of_dimensions": lambda ds, T: [d for d in ds if d >= T] or [T]}


def variants(card: cards.Card, values: Values, scale: str = "paper", more: float = 1.0) -> dict[str, Variant]:
    """The variants of an experiment by name.

    Args:
        values: its own settings by stage, of this run.
        scale: in a smoke run, settings of `every` do not count: they are of full scale.
        more: how many times as many instances as usual, and as many seconds for them.
    """
    check(card)
    declared = {name: content for name, content in card.elsewhere.items() if name not in KEYS}
    every = card.elsewhere.get("every", {}) if scale == "paper" else {}
    known, base = {}, _over(values, every)
    for name, usual in (_usual(card) if card.is_experiment else {}).items():
        if name in declared or (name in QUERIES and card.fixed.get("attention") == "self"):
            continue
        made = _made(card, base, usual) if usual.group != "tokens" else _redrawn(card, base, name)
        if made:
            known[name] = Variant(usual.group, usual.text, _over(_fewer(card, values, every, usual.work, more), made))
    for name, content in declared.items():
        if content is not None:
            changed = _over(_fewer(card, values, every, 1.0, more), content.get("settings", {}))
            known[name] = Variant(content.get("kind", "other"), content["text"], changed)
    possible = {name: one for name, one in known.items() if name in declared or _possible(card, values, one.settings)}
    return _affordable(card, possible, more)


def _affordable(card: cards.Card, known: dict[str, Variant], more: float) -> dict[str, Variant]:
    """The variants without the usual ones for which there is no time; those of the card's own are first."""
    if "seconds" not in card.elsewhere:
        return known
    spent, usual = 0.0, list[str]()
    for name in sorted(known, key=lambda name: FIRST.index(name) if name in FIRST else -1):
        work = USUAL[name].work if name in USUAL and name not in card.elsewhere else 1.0
        cost = START + work * card.elsewhere["seconds"]
        if name in card.elsewhere:
            spent += cost
        elif spent + cost <= BUDGET * more or len(usual) < SMALLEST:
            spent, usual = spent + cost, [*usual, name]
    return {name: one for name, one in known.items() if name in card.elsewhere or name in usual}


def of(card: cards.Card, values: Values, scale: str = "paper", more: float = 1.0) -> Variant:
    """The variant that a card's name says.

    Raises:
        UserError: the experiment has no such variant.
    """
    known, name = variants(card, values, scale, more), card.variant.removesuffix(LONGER)
    if name not in known:
        raise UserError(f"elsewhere/{card.base}: {cards.unknown_name(card.variant, list(known), 'variant')}")
    if name == card.variant:
        return known[name]
    chosen = known[name]
    return chosen._replace(
        settings=_over(chosen.settings, _made(card, _over(values, chosen.settings), USUAL[TEN_TIMES]))
    )


def can_go_on(card: cards.Card, values: Values) -> bool:
    """Whether an experiment has steps of which there could be more."""
    return bool(_made(card, values, USUAL[TEN_TIMES]))


def gone_on(
    failed: Iterable[tuple[str, str]], known: dict[str, Variant], drawn: Sequence[cards.Card], more: float = 1.0
) -> list[str]:
    """The variants that are run on: those with other seeds first, then those in which other claims fail.

    There are as many as the seconds allow, in the order of `FIRST`. Where `ten_times` is a variant, it says of other
    seeds and schedules what ten times the steps make of them.

    Args:
        failed: claims and the variants in which they fail.
        drawn: the experiments of the figure.
    """
    failed = list(failed)
    always = {claim for claim, name in failed if name == OTHER_SEEDS}
    names = {name for claim, name in failed if name in known and (name == OTHER_SEEDS or claim not in always)}
    if TEN_TIMES in known:
        names = {name for name in names if known[name].group not in OF_ONE_PROBLEM}
    order = sorted(names, key=lambda name: (name != OTHER_SEEDS, FIRST.index(name) if name in FIRST else -1, name))
    if not all("seconds" in card.elsewhere for card in drawn):
        return order
    seconds = sum(card.elsewhere["seconds"] for card in drawn)
    return order[: int(FURTHER * more // (START + LONG * seconds))]


def distribution(name: str) -> str:
    """The module that draws the tokens of an experiment's variant anew; "" where none does."""
    if not cards.of_variant(name)[1]:
        return ""
    card = cards.read(name)
    variant = card.variant.removesuffix(LONGER)
    content = card.elsewhere.get(variant) or {}
    named = content.get("settings", {}).get("problems", {}).get(DISTRIBUTION, "")
    chosen = named or (variant if variant in distributions() else "")
    return f"{TOKENS}.{chosen}" if chosen and DISTRIBUTION not in card.settings["problems"] else ""


def distributions() -> list[str]:
    """The names of the distributions of tokens."""
    folder = cards.HERE.parent / "data" / "tokens"
    return [name for name in modules_in(folder) if name[0] != "_" and name not in HELPERS]


def _usual(card: cards.Card) -> dict[str, Usual]:
    tokens = {
        name: Usual("tokens", str(ast_slice.function(f"{TOKENS}.{name}", "WORDS")), {})  # it finds any name
        for name in distributions()
    }
    drawn = card.modules["problems"].startswith("attnsvm.data.grids.")
    groups = card.elsewhere.get("usual", [group for group in GROUPS if group != "tokens" or drawn])
    return {name: usual for name, usual in (USUAL | tokens).items() if usual.group in groups}


def _made(card: cards.Card, values: Values, usual: Usual) -> Values:
    """What a usual variant makes of the settings that it changes."""
    stages = {"schedule": ("descent",)}.get(usual.group, ("problems",))
    made: Values = {}
    for stage in stages:
        for key, setting in card.settings.get(stage, {}).items():
            if change := usual.made.get(setting.get("kind", "")):
                before = values[stage][key]
                if (after := change(before)) != before:
                    made.setdefault(stage, {})[key] = after
    return made


def _redrawn(card: cards.Card, values: Values, name: str) -> Values:
    """The settings with which a distribution draws the tokens anew: `DISTINCT` ones have room for all tokens."""
    made: dict = {DISTRIBUTION: name}
    if name in DISTINCT:
        settings = card.settings["problems"].items()
        of = [(key, setting.get("kind", ""), values["problems"][key]) for key, setting in settings]
        least = max((MOST_TOKENS[kind](value) for _, kind, value in of if kind in MOST_TOKENS), default=0)
        roomy = {key: ROOM[kind](value, least) for key, kind, value in of if kind in ROOM}
        made |= {key: value for key, value in roomy.items() if value != values["problems"][key]}
    return {"problems": made}


def _fewer(card: cards.Card, values: Values, every: Values, work: float, more: float) -> Values:
    """The settings of every variant; instances are fewer where the card does not say how many, and of more work."""
    counted = "instances"
    if counted not in card.settings["problems"]:
        return every
    whole = values["problems"][counted]
    usual = every.get("problems", {}).get(counted, max(whole // SHARE, min(whole, 2 * LEAST)))
    count = min(max(math.ceil(usual / work), LEAST), usual, whole)
    return _over(every, {"problems": {counted: math.ceil(count * more)}})


def _over(below: Values, above: Values) -> Values:
    return {stage: below.get(stage, {}) | above.get(stage, {}) for stage in {**below, **above}}


def _possible(card: cards.Card, values: Values, changed: Values) -> bool:
    """Whether every changed setting keeps to its bounds, and the settings to their relations."""
    for stage, keys in changed.items():
        for key, value in keys.items():
            if key == DISTRIBUTION:
                continue
            if first_error(value, {k: v for k, v in card.settings[stage][key].items() if k not in cards.OURS}):
                return False
    try:
        related(card.base, card.relations, _over(values, changed))
    except UserError:
        return False
    return True


def check(card: cards.Card) -> None:
    """Refuse what a card says of variants and settings that it does not have.

    Raises:
        UserError: by name.
    """
    known = {stage: set(settings) for stage, settings in card.settings.items()}
    where, usual = f"{cards.place(card.base)}/card.yaml: elsewhere", [*USUAL, *distributions()]
    for name, content in card.elsewhere.items():
        if name in ("usual", "seconds"):
            continue
        require(content is not None or name in usual, f"{where}: {cards.unknown_name(name, usual, 'usual variant')}")
        for stage, keys in (content if name == "every" else (content or {}).get("settings", {})).items():
            for key in keys:
                fits = key in known[stage] or (stage, key) == ("problems", DISTRIBUTION)
                require(fits, f"{where}: {name}: there is no setting {stage}.{key}")
