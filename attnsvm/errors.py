"""The one exception a user can cause: its message says what is wrong, where, and what to do."""


class UserError(Exception):
    """Something outside the code is wrong: a configuration, a file, an array."""
