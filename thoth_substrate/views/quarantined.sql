-- quarantined() -> Quarantined
-- How many wait for an operator's word, of every tenant or of the one that the role sees: from the list that a trigger keeps, not from the slices.
select count(*) as slices
from thoth.substrate_quarantine
