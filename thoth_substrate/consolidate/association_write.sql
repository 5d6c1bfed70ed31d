-- association_write(tenant text, lefts bigint[], rights bigint[], weights real[], togethers integer[], linkeds integer[], shareds integer[]) -> -
-- Only what differs is written: a run that finds nothing new leaves no trace.
insert into thoth.substrate_associations (tenant_id, left_id, right_id, weight, together, linked, shared)
select $1, left_id, right_id, weight, together, linked, shared
from unnest($2::bigint[], $3::bigint[], $4::real[], $5::integer[], $6::integer[], $7::integer[])
    w(left_id, right_id, weight, together, linked, shared)
order by left_id, right_id
on conflict (tenant_id, left_id, right_id) do update
set weight = excluded.weight, together = excluded.together, linked = excluded.linked, shared = excluded.shared,
    computed_at = thoth.substrate_now()
