"""What the tests of watching may ask for."""

from tests.watch.support import vault

__all__ = ["vault"]
