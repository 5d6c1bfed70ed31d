"""The crew: one agent a file."""
