"""What the tests of experiments share stands beside them: running.py and drawing.py."""

import pytest

pytest.register_assert_rewrite("drawing", "running")
