"""Read-only questions that people ask."""
