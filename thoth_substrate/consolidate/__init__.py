"""Step 4 of 6: slices → layers 1 to 4, cited. Agents propose; this room writes, and moves the slices' states with it."""
