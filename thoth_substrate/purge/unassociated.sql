-- unassociated(tenant text, entity_ids bigint[]) -> -
-- How strongly these hang together, and with whom, was counted with what is purged: it is counted anew.
insert into thoth.substrate_unassociated as q (tenant_id, entity_id)
select $1, entity_id from unnest($2::bigint[]) w(entity_id)
where exists (select from thoth.substrate_entities e where e.tenant_id = $1 and e.entity_id = w.entity_id)
order by entity_id
on conflict (tenant_id, entity_id) do update set queued_at = q.queued_at
