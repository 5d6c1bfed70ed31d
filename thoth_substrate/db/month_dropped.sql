-- month_dropped(child text) -> Answer
-- Asked again under lock whether it is spent: something may have come in while it was being detached.
select thoth.substrate_drop_month($1) as yes
