"""The only door to models."""
