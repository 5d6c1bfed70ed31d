-- still_there(tenant text, slice_ids uuid[], row_ids bigint[], recall_id uuid) -> Still
-- Of what a recall showed, what may be shown again; and the purges that were not done when it was asked: they say sentences anew, and take words from where no citation leads.
select w.slice_id, null::bigint as row_id, null::uuid as purge_id
from unnest($2::uuid[]) w(slice_id)
cross join lateral (
    -- The limit keeps it a look-up of one month a slice: joined otherwise, every month would be read.
    select from thoth.substrate_slices
    where tenant_id = $1 and slice_id = w.slice_id and ingest_time = thoth.substrate_id_time(w.slice_id)
      and triage_state = 'passed' and not forgotten
    limit 1
) s
union all
select null, r.relationship_id, null from thoth.substrate_relationships r
where r.tenant_id = $1 and r.relationship_id = any ($3) and r.retracted_at is null
union all
select null, p.pattern_id, null from thoth.substrate_patterns p
where p.tenant_id = $1 and p.pattern_id = any ($3) and p.retracted_at is null
union all
select null, o.observation_id, null from thoth.substrate_observations o
where o.tenant_id = $1 and o.observation_id = any ($3) and o.retracted_at is null
union all
select null, null, u.purge_id
from (select purge_id, receipt from thoth.substrate_purges where tenant_id = $1 order by purge_id desc limit 20) u
where coalesce((u.receipt ->> 'done_at')::timestamptz, 'infinity') > thoth.substrate_id_time($4)
