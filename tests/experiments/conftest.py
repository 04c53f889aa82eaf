"""The experiment of a test file, run once. What the files share stands in running.py, by_hand.py and drawing.py."""

import pytest

pytest.register_assert_rewrite("running", "by_hand", "drawing")


@pytest.fixture(scope="module")
def run(request, tmp_path_factory):
    """The experiment that `test_<name>.py` is about, with the settings SMALL of that file, in three blocks.

    INSTEAD of the file: {(module, name): value} of what is fewer there, such as norms, each with a loop to compile.
    """
    from running import Run

    name = request.module.__name__.removeprefix("test_")
    with pytest.MonkeyPatch.context() as patch:
        for (module, constant), value in getattr(request.module, "INSTEAD", {}).items():
            patch.setattr(module, constant, value)
        return Run(name, request.module.SMALL, tmp_path_factory.mktemp(name))
