"""Step 6 of 6: candidates become a <memory-context>, or nothing."""
