"""Step 1 of 6: an event becomes a slice, in microseconds and for keeps.

    record → journal + buffer ─┐            within the turn
    flusher: shape → flush ────┴→ database  beside it

What others use: `perceiver.Perceiver`, `perceiver.PerceiveStats`, `streams.STREAMS`, `streams.register`, `redact.redact`.
"""
