"""The hosts that Thoth lives in, one module or folder each."""
