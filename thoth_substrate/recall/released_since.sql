-- released_since(tenant text, row_ids bigint[], at timestamptz) -> Released
-- Slices that what is known rests on, perceived by an instant and released since; what somebody asked to forget is not spoken of. Citations outlive them and tell who spoke.
select distinct on (c.event_time, c.slice_id) c.slice_id, c.actor, c.event_time, s.released_at
from thoth.substrate_citations c
left join thoth.substrate_slices s on s.tenant_id = c.tenant_id and s.slice_id = c.slice_id
                                  and s.ingest_time = thoth.substrate_id_time(c.slice_id)
where c.tenant_id = $1 and c.row_id = any($2::bigint[]) and thoth.substrate_id_time(c.slice_id) <= $3
    and (s.slice_id is null or s.consolidation_state = 'released') and s.forgotten is not true
order by c.event_time, c.slice_id
limit 40
