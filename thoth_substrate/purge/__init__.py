"""Forgetting for good: a slice and everything that was derived from it."""
