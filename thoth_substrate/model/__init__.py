"""Pure nouns and pure arithmetic: no I/O, no clock, no randomness but what is passed in."""
