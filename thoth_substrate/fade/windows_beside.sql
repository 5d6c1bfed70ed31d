-- windows_beside(tenant text, slice_ids uuid[]) -> Beside
-- Passages that come right after one of these in their session: the vector of their window was made of its words, too.
select n.passage_id
from unnest($2::uuid[]) w(slice_id)
join thoth.substrate_passages p on p.tenant_id = $1 and p.slice_id = w.slice_id
join thoth.substrate_passages n on n.tenant_id = $1 and n.session_no = p.session_no and n.seq = p.seq + 1
where n.slice_id <> all ($2::uuid[])
order by n.passage_id
for update of n
