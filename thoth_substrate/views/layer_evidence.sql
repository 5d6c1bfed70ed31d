-- layer_evidence(tenant text) -> Evidence
-- What knowledge rests on: a row a quote and a row a passage, so that it is counted only for who looks at the layers themselves.
select (select count(*) from thoth.substrate_citations c where c.tenant_id = $1) as citations,
       count(*) filter (where v.outcome = 'extracted') as extracted,
       count(*) filter (where v.outcome = 'nothing') as nothing,
       count(*) filter (where v.outcome = 'failed') as failed
from thoth.substrate_verdicts v
where v.tenant_id = $1
