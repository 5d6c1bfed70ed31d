-- lone_corroborations(tenant text, row_ids bigint[]) -> -
-- The rule of promotion once more, on the citations that are left: a person said it, and not before another session had it. Who spoke in a month that is gone is not asked.
delete from thoth.substrate_outcomes o
where o.tenant_id = $1 and o.row_id = any ($2::bigint[]) and o.by_id = o.row_id and o.outcome = 'corroborated'
    and not exists (
        select from thoth.substrate_citations said
        join thoth.substrate_citations before
            on before.tenant_id = $1 and before.row_id = said.row_id and before.session_id <> said.session_id
            and before.cited_at <= said.cited_at
        left join thoth.substrate_slices s
            on s.tenant_id = $1 and s.slice_id = said.slice_id and s.ingest_time = thoth.substrate_id_time(said.slice_id)
        left join thoth.substrate_streams t on t.stream_id = s.stream_id
        where said.tenant_id = $1 and said.row_id = o.row_id and coalesce(t.family = 'exteroceptive', true)
    )
