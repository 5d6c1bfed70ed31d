-- decisions_after(tenant text, since timestamptz, after_id uuid, limit_rows bigint) -> Decided
-- Decisions of the crew since then, page by page, payload and all. Those of the core workers hold counts alone.
select s.slice_id, s.payload from thoth.substrate_slices s
where s.tenant_id = $1 and s.session_id = 'diary' and s.consolidation_state = 'exempt' and s.event_time >= $2 and s.slice_id > $3
    and s.payload -> 'decision' ?| array['gathered', 'replies', 'proposals', 'inputs']
order by s.slice_id limit $4
