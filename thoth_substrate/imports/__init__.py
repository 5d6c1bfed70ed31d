"""Before step 1: conversations that were held elsewhere become events. Readers know formats, `run` feeds perceive."""
