-- month_marked(child text) -> Answer
-- Asked by the owner, in its own transaction: the mark must stand before the month is detached.
select thoth.substrate_mark_month($1) as yes
