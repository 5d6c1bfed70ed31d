-- oldest_pending(tenant text, limit_rows bigint) -> PendingLine
-- Ids grow with time, so the primary key gives the oldest without a sort; each then finds its slice in its own month.
select p.slice_id, t.stream, s.actor, p.queued_at, thoth.substrate_now() - p.queued_at as waited,
       f.pending_ttl as ttl, left(s.text, 500) as excerpt
from (
    select q.tenant_id, q.slice_id, q.queued_at, q.profile
    from thoth.substrate_pending q
    where q.tenant_id = $1
    order by q.slice_id
    limit $2
) p
join thoth.substrate_slices s on s.tenant_id = p.tenant_id and s.slice_id = p.slice_id
                             and s.ingest_time = thoth.substrate_id_time(p.slice_id)
join thoth.substrate_streams t using (stream_id)
join thoth.substrate_profiles f on f.profile = p.profile
order by p.slice_id
