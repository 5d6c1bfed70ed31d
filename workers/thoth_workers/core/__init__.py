"""Core workers: in process, no model."""
