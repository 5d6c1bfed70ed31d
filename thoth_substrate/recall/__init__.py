"""Step 5 of 6: a question becomes ranked candidates, inside the deadline."""
