"""How hard an agent or worker may work."""

from __future__ import annotations

from enum import IntEnum


class Intensity(IntEnum):
    """OFF does nothing and costs nothing; the others scale batch sizes and periods. The database's word wins."""

    OFF = 0
    LOW = 1
    MEDIUM = 2
    FULL = 3

    def scale(self, full: int) -> int:
        """A batch size of `full` at FULL, half at MEDIUM, a tenth at LOW, at least 1; 0 when OFF."""
        return {self.OFF: 0, self.LOW: max(1, full // 10), self.MEDIUM: max(1, full // 2), self.FULL: full}[self]
