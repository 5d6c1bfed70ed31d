-- buried(tenant text, agent text, slice_ids uuid[], attempts smallint[], failures text[]) -> -
-- The last attempt failed: out of the queue, so that one poisoned slice costs no more, and kept in sight until it is revived.
with gone as (
    delete from thoth.substrate_unconsolidated q
    using unnest($3::uuid[]) w(slice_id)
    where q.tenant_id = $1 and q.slice_id = w.slice_id
)
insert into thoth.substrate_dead_letters (tenant_id, agent, slice_id, attempts, failure)
select $1, $2, w.slice_id, w.attempts, w.failure
from unnest($3::uuid[], $4::smallint[], $5::text[]) w(slice_id, attempts, failure)
order by w.slice_id
on conflict (tenant_id, agent, slice_id) do update
set attempts = excluded.attempts, failure = excluded.failure, since = thoth.substrate_now()
