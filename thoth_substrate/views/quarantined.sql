-- quarantined() -> Quarantined
-- How many wait for an operator's word, of every tenant: from the list that a trigger keeps, not from the slices.
select count(*) as slices
from thoth.substrate_quarantine
