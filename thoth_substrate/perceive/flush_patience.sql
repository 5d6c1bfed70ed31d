-- flush_patience(milliseconds text) -> Patience
-- The pool is the voice's, whose statements must end within a recall; a batch may take longer. And it must be on disk before the journal lets go of it, whatever the server's default.
select set_config('statement_timeout', $1, true) as statement_timeout,
    case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', true) else current_setting('synchronous_commit') end
        as synchronous_commit
