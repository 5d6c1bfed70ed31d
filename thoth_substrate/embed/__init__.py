"""Step 3 of 6: passages without a vector get one."""
