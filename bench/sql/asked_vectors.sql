-- The vectors of the passages that are asked about.
select s.n, v.embedding::vector(384)::real[]
from staged s
join thoth.substrate_passages p on p.tenant_id = %(tenant)s and p.slice_id = s.slice_id
join thoth.substrate_passage_vectors v on v.tenant_id = %(tenant)s and v.passage_id = p.passage_id and v.kind = 'turn'
where s.n = any(%(asked)s)
