"""What the tests of this room may ask for."""

from tests.consolidate.support import mind

__all__ = ["mind"]
