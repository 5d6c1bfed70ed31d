-- patterns_alike(tenant text, kinds text[], norms text[]) -> Alike
-- Living patterns that say the same in the same words.
select p.pattern_id, p.kind, p.norm
from thoth.substrate_patterns p
join unnest($2::text[], $3::text[]) w(kind, norm) on p.kind = w.kind and p.norm = w.norm
where p.tenant_id = $1 and p.retracted_at is null
order by p.pattern_id
