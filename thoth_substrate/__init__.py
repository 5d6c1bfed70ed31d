"""Thoth: the memory beneath an agent's mind. One folder a step, in the order of thought.

    1  perceive      an event becomes a slice                      beside it imports: conversations held elsewhere
    2  triage        pending → passed | quarantined; what passed is indexed by its words
    3  embed         passages without a vector get one
    4  consolidate   slices become cited knowledge                 (not there yet)
    –  fade          time and attention: salience, pin, forget, reinforce, release, months
    5  recall        a question becomes ranked candidates
    6  inject        candidates become a <memory-context>, or nothing

`substrate` is the façade over them and tells their order once, `boot` wires it, `cli` is for people, `views` answers what
people ask. Below all: `db` and `llm` (the doors to PostgreSQL and to model endpoints), `settings`, `model` (nouns and
arithmetic without I/O), `errors`. What ticks stands in the package `thoth_workers`.
"""
