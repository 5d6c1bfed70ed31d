-- quarantined() -> Quarantined
-- How many wait for an operator's word.
select count(*) as slices
from thoth.substrate_slices s
where s.triage_state = 'quarantined'
