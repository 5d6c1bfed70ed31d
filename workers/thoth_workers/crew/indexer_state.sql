-- indexer_state(tenant text) -> State
-- How far passages are made, numbered as they become searchable whatever the time of their slices; and the first slice that waits for triage or its index.
select coalesce((select max(p.passage_id) from thoth.substrate_passages p where p.tenant_id = $1), 0) as passage_id,
    least(
        (select w.slice_id from thoth.substrate_pending w where w.tenant_id = $1 order by w.slice_id limit 1),
        (select w.slice_id from thoth.substrate_unindexed w where w.tenant_id = $1 order by w.slice_id limit 1)
    ) as waiting
