-- embedding_failures(tenant text) -> Failure
-- The commonest messages first; one poisoned text and a dead endpoint look very different here.
select e.failure, count(*) as passages, count(*) filter (where e.not_before = 'infinity') as given_up
from thoth.substrate_unembedded e
where e.tenant_id = $1
  and e.failure is not null
group by e.failure
order by count(*) desc, e.failure
limit 5
