-- Whatever must not be, however often workers were killed: a row for each slice, fact, verdict, call or claim that is wrong.
with world as (
    select s.tenant_id, s.slice_id, s.consolidation_state as state from thoth.substrate_slices s
    where s.session_id <> 'diary' and s.triage_state = 'passed' and s.consolidation_state <> 'exempt'
), diary as (
    select s.tenant_id, s.slice_id, s.payload from thoth.substrate_slices s where s.session_id = 'diary'
), promoted as (
    select d.tenant_id, d.slice_id as decision_id, (d.payload #>> '{decision,applied,consolidated}')::integer as slices, e.slice_id
    from diary d left join lateral (
        select i ->> 'slice_id' as slice_id from jsonb_array_elements(d.payload #> '{decision,inputs}') as i
    ) e on true
    where d.payload ->> 'agent' = 'parser'
), spent as (
    select 'tokens_hour' as unit, scope, date_trunc('hour', called_at, 'UTC') as starts_at,
        sum(prompt_tokens + completion_tokens) filter (where outcome <> 'reserved') as spent,
        sum(reserved_tokens) filter (where outcome = 'reserved') as reserved
    from thoth.substrate_agent_cost, lateral (values ('*'), (agent)) v (scope) group by 1, 2, 3
    union all
    select 'usd_day', scope, date_trunc('day', called_at, 'UTC'), sum(usd) filter (where outcome <> 'reserved'),
        sum(reserved_usd) filter (where outcome = 'reserved')
    from thoth.substrate_agent_cost, lateral (values ('*'), (agent)) v (scope) group by 1, 2, 3
)
select 'a slice is lost' as wrong, slice_id::text as which from world w
where state not in ('consolidated', 'released')
    and not exists (select from thoth.substrate_unconsolidated q where q.tenant_id = w.tenant_id and q.slice_id = w.slice_id)
    and not exists (select from thoth.substrate_dead_letters d where d.tenant_id = w.tenant_id and d.slice_id = w.slice_id)
union all
select 'a consolidated slice is still queued', slice_id::text from world w
where state in ('consolidated', 'released')
    and exists (select from thoth.substrate_unconsolidated q where q.tenant_id = w.tenant_id and q.slice_id = w.slice_id)
union all
-- Each decision says how many it consolidated: one that was counted by two would make the sum too great.
select 'decisions consolidated more or fewer than there are', format('%%s and %%s', told.slices, there.slices)
from (select coalesce(sum(slices), 0) as slices from (select distinct tenant_id, decision_id, slices from promoted) d) told,
    (select count(*) as slices from world where state in ('consolidated', 'released')) there
where told.slices <> there.slices
union all
select 'a verdict names a decision that did not read the slice', v.slice_id::text from thoth.substrate_verdicts v
where not exists (
    select from promoted p
    where p.tenant_id = v.tenant_id and p.decision_id = v.decision_id and p.slice_id = v.slice_id::text)
union all
select 'a living fact is there twice', min(statement) from thoth.substrate_relationships
where retracted_at is null and valid_to is null
group by tenant_id, subject_id, predicate, object_norm, negated having count(*) > 1
union all
select 'a living entity is there twice', norm from thoth.substrate_entities where retracted_at is null and merged_into is null
group by tenant_id, norm having count(*) > 1
union all
select 'a consolidated passage has no verdict', w.slice_id::text from world w
join thoth.substrate_passages p on p.tenant_id = w.tenant_id and p.slice_id = w.slice_id
where w.state = 'consolidated' and not exists (
    select from thoth.substrate_verdicts v
    where v.tenant_id = p.tenant_id and v.slice_id = p.slice_id and v.passage_no = p.passage_no and v.outcome <> 'failed')
union all
select 'a citation names no decision', c.slice_id::text from thoth.substrate_citations c
where not exists (select from diary d where d.tenant_id = c.tenant_id and d.slice_id = c.decision_id)
union all
select 'a fact rests on nothing', r.statement from thoth.substrate_relationships r
where r.retracted_at is null and not exists (
    select from thoth.substrate_citations c where c.tenant_id = r.tenant_id and c.row_id = r.relationship_id)
union all
select 'a budget does not add up', format('%%s %%s %%s', b.scope, b.unit, b.starts_at) from thoth.substrate_budgets b
left join spent s on (s.scope, s.unit, s.starts_at) = (b.scope, b.unit, b.starts_at)
where abs(b.spent - coalesce(s.spent, 0)) > 1e-6 or abs(b.reserved - coalesce(s.reserved, 0)) > 1e-6
union all
select 'a claim lasts too long', slice_id::text from thoth.substrate_unconsolidated
where isfinite(claimed_until) and claimed_until > %(now)s::timestamptz + interval '5 minutes'
union all
select 'a lease lasts too long', agent from thoth.substrate_agents where lease_until > %(now)s::timestamptz + interval '1 minute'
order by 1, 2
