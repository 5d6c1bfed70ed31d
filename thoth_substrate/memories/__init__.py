"""Memories as people and programs keep them: created, listed, changed with their history, deleted."""
