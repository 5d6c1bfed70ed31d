"""Step 4 of 6: slices → layers 1 to 4, cited. Agents propose; this room writes, and moves the states of the slices in the same transaction."""
