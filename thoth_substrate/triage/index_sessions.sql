-- index_sessions(tenant text, session_ids text[], passages int[]) -> NumberedSession
-- Reserve sequence numbers. Existing sessions are updated, not upserted: each attempt to insert would burn a session number.
with wanted as materialized (
    select session_id, passages from unnest($2::text[], $3::int[]) w(session_id, passages)
), there as materialized (
    select s.session_id from thoth.substrate_sessions s join wanted using (session_id)
    where s.tenant_id = $1 order by s.session_id for update of s
), grown as (
    update thoth.substrate_sessions s set last_seq = s.last_seq + w.passages
    from wanted w join there using (session_id)
    where s.tenant_id = $1 and s.session_id = w.session_id
    returning s.session_id, s.session_no, s.last_seq
), made as (
    insert into thoth.substrate_sessions (tenant_id, session_id, last_seq)
    select $1, w.session_id, w.passages from wanted w
    where not exists (select from there t where t.session_id = w.session_id)
    order by w.session_id
    on conflict (tenant_id, session_id) do update set last_seq = substrate_sessions.last_seq + excluded.last_seq
    returning session_id, session_no, last_seq
)
select session_id, session_no, last_seq from grown
union all
select session_id, session_no, last_seq from made
