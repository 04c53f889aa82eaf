"""A build that nobody computed, for the tests of this folder."""

import pytest
from made_up import Built


@pytest.fixture
def made_up(tmp_path):
    return Built(tmp_path / "build")
