"""Step 1 of 6: an event becomes a slice, in microseconds and for keeps."""
