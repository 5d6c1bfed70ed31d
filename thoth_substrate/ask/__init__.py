"""Questions answered by a model from what memory holds, with citations that are checked."""
