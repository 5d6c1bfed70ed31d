"""Step 2 of 6: pending slices pass or are held back, and those that pass become searchable."""
