"""Everything that ticks."""
