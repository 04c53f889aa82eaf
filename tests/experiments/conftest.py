"""What the tests of experiments share stands beside them, in modules that are no tests."""

import pytest

pytest.register_assert_rewrite("cases")
