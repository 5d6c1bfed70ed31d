"""The thoth command: parse, one call, print."""
