-- month_spent(child text) -> Answer
-- Asked by the workers' role, which alone sees whether any tenant still lives in it.
select thoth.substrate_month_is_spent($1) as yes
