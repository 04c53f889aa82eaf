"""Which modules, and which files, are behind each job."""

from attnsvm.pipeline import cards, modules, targets

EXPERIMENTS = cards.experiments()
FIGURES = cards.figures()


def test_the_files_of_a_figure_are_those_of_its_stages_and_its_own():
    files = modules.files_behind("svm_rank")
    assert files == sorted(set(files))
    for name in ("problems", "svm", "measures", "figure"):
        assert f"attnsvm/experiments/paper/svm_rank/{name}.py" in files
    assert {"attnsvm/svm/methods/interior_point.py", "attnsvm/data/cells.py", "attnsvm/plots/style.py"} <= set(files)
    above = {name for name in files if name.startswith(("attnsvm/training/", "attnsvm/publish/"))}
    assert above <= {"attnsvm/training/__init__.py", "attnsvm/training/threads.py"}


def test_a_figure_of_several_tables_has_the_files_of_all():
    several = [card for card in FIGURES if len(card.draws) > 1]
    assert several
    for card in several:
        wanted = {cards.read(name).modules[stage] for name in card.draws for stage in cards.read(name).stages}
        files = modules.files_behind(card.name)
        assert {f"{module.replace('.', '/')}.py" for module in wanted} <= set(files)


def test_the_audit_stands_on_everything():
    assert targets.behind("audit") == tuple(card.name for card in EXPERIMENTS)
    files = set(modules.files_behind("audit"))
    for card in cards.claiming():
        assert f"{cards.place(card.name)}/claims.py" in files
    for card in EXPERIMENTS:
        assert {f"{card.modules[stage].replace('.', '/')}.py" for stage in card.stages} <= files
