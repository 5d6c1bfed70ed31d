"""What is going on, as keywords that point to where it was met: an index of its own, that holds no content and expires."""
