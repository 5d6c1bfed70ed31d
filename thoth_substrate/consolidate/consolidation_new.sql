-- consolidation_new(tenant text, after uuid, limit_rows bigint) -> NewMemories
-- Memories that were read since: up the primary key from the last one that was counted. The diary is exempt, and so not counted.
select count(*) as memories, max(n.ingest_time) as newest
from (
    select s.ingest_time
    from thoth.substrate_slices s
    where s.tenant_id = $1 and s.slice_id > $2 and s.ingest_time >= thoth.substrate_id_time($2)
      and s.consolidation_state in ('partial', 'consolidated') and not s.forgotten
    order by s.slice_id
    limit $3
) n
