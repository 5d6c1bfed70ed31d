-- value_shown(tenant text, since timestamptz) -> Shown
-- Of the statements that recalls showed of late, whose they are, and behind how many a source was used afterwards.
with shown as materialized (
    select l.asked_at, (h.line ->> 'row_id')::bigint as row_id
    from thoth.substrate_recall_log l
    cross join lateral jsonb_array_elements(l.shown) h(line)
    where l.tenant_id = $1
      and l.asked_at > $2
      and h.line ->> 'row_id' is not null
), made as (
    select r.relationship_id as row_id, r.agent from thoth.substrate_relationships r
    where r.tenant_id = $1 and r.relationship_id = any (array(select row_id from shown))
    union all
    select p.pattern_id, p.agent from thoth.substrate_patterns p
    where p.tenant_id = $1 and p.pattern_id = any (array(select row_id from shown))
    union all
    select o.observation_id, o.agent from thoth.substrate_observations o
    where o.tenant_id = $1 and o.observation_id = any (array(select row_id from shown))
)
select m.agent, count(*) as surfaced,
       count(*) filter (where exists (
           select from thoth.substrate_citations c
           join thoth.substrate_salience_events e on e.tenant_id = $1 and e.slice_id = c.slice_id and e.cause = 'used'
           where c.tenant_id = $1 and c.row_id = s.row_id and e.at >= s.asked_at and e.at > $2
       )) as used
from shown s
join made m using (row_id)
group by m.agent
