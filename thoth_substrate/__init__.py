"""Thoth: the memory beneath an agent's mind."""
