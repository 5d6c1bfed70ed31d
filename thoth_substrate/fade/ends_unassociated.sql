-- ends_unassociated(tenant text, entity_ids bigint[]) -> -
-- What hangs together with the ends of facts that were closed has to be weighed anew.
insert into thoth.substrate_unassociated as q (tenant_id, entity_id)
select $1, w.entity_id from unnest($2::bigint[]) w(entity_id) order by w.entity_id
on conflict (tenant_id, entity_id) do update set queued_at = q.queued_at
