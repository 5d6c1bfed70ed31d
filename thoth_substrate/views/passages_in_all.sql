-- passages_in_all(tenant text) -> _Total
-- The counter that BM25 keeps.
select x.passages
from thoth.substrate_text_stats x
where x.tenant_id = $1
