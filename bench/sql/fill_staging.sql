-- What Python has written, before it becomes rows of every table.
create unlogged table staged (
    n integer primary key, slice_id uuid, stream text, session_id text, seq integer, actor text, event_time timestamptz,
    text text, terms text[], counts smallint[], length integer, flags smallint, base integer, other integer, has_window boolean
)
