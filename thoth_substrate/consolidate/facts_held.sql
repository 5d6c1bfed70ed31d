-- facts_held(tenant text, subjects bigint[], predicates text[]) -> HeldFact
-- Living facts of the same subjects and predicates, those of merged entities too, and whether a person ever said them.
select w.subject, r.relationship_id as row_id, r.predicate, o.root, r.object_text, r.object_norm, r.negated, r.functional,
    r.statement, r.valid_from, r.valid_to, r.stated_confidence as stated, r.confidence, r.agent, r.model, r.decision_id,
    c.slices, m.mentions, coalesce(c.by_person, false) as by_person
from unnest($2::bigint[], $3::text[]) w(subject, predicate)
cross join lateral (
    select w.subject as member
    union all
    select m.entity_id from thoth.substrate_entities m where m.tenant_id = $1 and m.merged_into = w.subject
) g
join thoth.substrate_relationships r
    on r.tenant_id = $1 and r.subject_id = g.member and r.predicate = w.predicate and r.retracted_at is null
left join lateral (
    select coalesce(e.merged_into, e.entity_id) as root from thoth.substrate_entities e
    where e.tenant_id = $1 and e.entity_id = r.object_id
) o on true
left join lateral (
    select coalesce(array_agg(distinct c.event_time), '{}') as mentions
    from (
        -- bounded: of what was said a thousand times the last two hundred tell
        select c.event_time from thoth.substrate_citations c
        where c.tenant_id = $1 and c.row_id = r.relationship_id
        order by c.event_time desc
        limit 200
    ) c
) m on true
left join lateral (
    select coalesce(array_agg(c.slice_id), '{}') as slices, bool_or(st.family = 'exteroceptive') as by_person
    from (
        select c.slice_id from thoth.substrate_citations c
        where c.tenant_id = $1 and c.row_id = r.relationship_id
        order by c.event_time
        limit 20
    ) c
    left join thoth.substrate_slices s
        on s.tenant_id = $1 and s.slice_id = c.slice_id and s.ingest_time = thoth.substrate_id_time(c.slice_id)
    left join thoth.substrate_streams st on st.stream_id = s.stream_id
) c on true
order by r.relationship_id
