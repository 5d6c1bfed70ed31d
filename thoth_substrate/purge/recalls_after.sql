-- recalls_after(tenant text, since timestamptz, after_id uuid, limit_rows bigint) -> Recalled
-- Recalls since the purged was perceived, page by page: what was asked in which session, and which slices they name.
select recall_id, asked_at, session_id, query_excerpt, detail,
    array(
        select distinct m[1]::uuid
        from regexp_matches(candidates::text || shown::text || detail::text, '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 'g') m
    ) as named
from thoth.substrate_recall_log
where tenant_id = $1 and asked_at >= $2 and recall_id > $3 order by recall_id limit $4
