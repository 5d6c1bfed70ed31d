-- crew_deeds(tenant text, agent text, limit_rows bigint) -> _Row
-- An agent's newest decisions with the calls that led to each: the ledger's rows of the hour that began with it.
select newest.at, newest.slice_id as decision_id, coalesce(newest.decision ->> 'version', '') as version,
    coalesce(newest.decision ->> 'level', '') as level, coalesce(newest.decision ->> 'model', '') as model,
    case jsonb_typeof(newest.decision -> 'inputs') when 'array' then jsonb_array_length(newest.decision -> 'inputs') else 0 end as slices,
    coalesce((select array_agg(r.reply ->> 'outcome') from jsonb_array_elements(
        case jsonb_typeof(newest.decision -> 'replies') when 'array' then newest.decision -> 'replies' else '[]' end) r (reply)), '{}') as outcomes,
    newest.decision -> 'proposals' as proposals, coalesce(newest.decision -> 'applied', newest.decision -> 'detail') as applied,
    spent.calls, spent.tokens, spent.usd
from (
    select s.event_time as at, s.slice_id, s.payload -> 'decision' as decision
    from thoth.substrate_slices s
    where s.tenant_id = $1 and s.session_id = 'diary' and s.actor = $2
    order by s.event_time desc
    limit $3
) newest
cross join lateral (
    select count(*) as calls, coalesce(sum(c.prompt_tokens + c.completion_tokens), 0)::bigint as tokens, coalesce(sum(c.usd), 0) as usd
    from thoth.substrate_agent_cost c
    where c.tenant_id = $1 and c.decision_id = newest.slice_id
        and c.called_at >= thoth.substrate_id_time(newest.slice_id) - interval '1 minute'
        and c.called_at < thoth.substrate_id_time(newest.slice_id) + interval '1 hour'
) spent
order by newest.at desc
