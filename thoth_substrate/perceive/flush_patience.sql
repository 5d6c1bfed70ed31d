-- flush_patience(milliseconds text) -> Patience
-- The pool is the voice's, whose statements must end within a recall; a batch may take longer.
select set_config('statement_timeout', $1, true) as statement_timeout
