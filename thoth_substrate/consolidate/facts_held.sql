-- facts_held(tenant text, subjects bigint[], predicates text[], roots bigint[], norms text[], whole boolean[]) -> HeldFact
-- Living facts of the same subjects and predicates, those of merged entities too: every object where one at a time is so (`whole`), else the same object alone. And whether a person ever said them.
with asked as materialized (
    select distinct w.subject, w.predicate, w.root, w.norm, w.whole
    from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::boolean[]) w(subject, predicate, root, norm, whole)
), members as (
    select distinct subject, subject as member from asked
    union all
    select a.subject, m.entity_id
    from (select distinct subject from asked) a
    join thoth.substrate_entities m on m.tenant_id = $1 and m.merged_into = a.subject
), held as materialized (
    select distinct on (r.relationship_id) a.subject, r.relationship_id, o.root
    from asked a
    join members g on g.subject = a.subject
    join thoth.substrate_relationships r
        on r.tenant_id = $1 and r.subject_id = g.member and r.predicate = a.predicate and r.retracted_at is null
    left join lateral (
        select coalesce(e.merged_into, e.entity_id) as root from thoth.substrate_entities e
        where e.tenant_id = $1 and e.entity_id = r.object_id and (a.whole or r.object_norm <> a.norm)
    ) o on true
    where a.whole or r.object_norm = a.norm or o.root = a.root
    order by r.relationship_id, o.root
)
select h.subject, r.relationship_id as row_id, r.predicate, coalesce(h.root, o.root) as root, r.object_text, r.object_norm,
    r.negated, r.functional, r.statement, r.valid_from, r.valid_to, r.stated_confidence as stated, r.confidence, r.agent, r.model,
    r.decision_id, c.slices, m.mentions, coalesce(c.by_person, false) as by_person
from held h
join thoth.substrate_relationships r on r.tenant_id = $1 and r.relationship_id = h.relationship_id
left join lateral (
    select coalesce(e.merged_into, e.entity_id) as root from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = r.object_id and h.root is null
) o on true
cross join lateral (
    select coalesce(array_agg(distinct c.event_time), '{}') as mentions
    from (
        -- bounded: of what was said a thousand times the last two hundred tell
        select c.event_time from thoth.substrate_citations c
        where c.tenant_id = $1 and c.row_id = r.relationship_id
        order by c.event_time desc
        limit 200
    ) c
) m
cross join lateral (
    select coalesce(array_agg(c.slice_id), '{}') as slices, bool_or(st.family = 'exteroceptive') as by_person
    from (
        select c.slice_id from thoth.substrate_citations c
        where c.tenant_id = $1 and c.row_id = r.relationship_id
        order by c.event_time
        limit 10
    ) c
    left join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = c.slice_id and s.ingest_time = thoth.substrate_id_time(c.slice_id)
    left join thoth.substrate_streams st on st.stream_id = s.stream_id
) c
order by r.relationship_id
