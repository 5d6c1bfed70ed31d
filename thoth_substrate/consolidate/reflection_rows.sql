-- reflection_rows(tenant text, at timestamptz, top bigint, pattern_rows bigint, fact_rows bigint) -> ReflectionRow
-- What to reflect on: patterns, new ones first, and new facts, those that most sessions tell of first; each with the sessions it comes from.
with patterns as (
    select p.pattern_id as row_id, p.statement, (p.asserted_at, p.pattern_id) > ($2::timestamptz, $3::bigint) as fresh,
        array(
            select distinct c.session_id
            from thoth.substrate_supports s
            join thoth.substrate_citations c on c.tenant_id = $1 and c.row_id = s.support_id
            where s.tenant_id = $1 and s.row_id = p.pattern_id
            order by c.session_id limit 20
        ) as sessions
    from thoth.substrate_patterns p
    where p.tenant_id = $1 and p.retracted_at is null and p.kind = 'pattern'
    order by fresh desc, p.rewordings desc, p.pattern_id desc
    limit $4
), facts as (
    select f.relationship_id as row_id, f.statement, true as fresh,
        array(
            select distinct c.session_id from thoth.substrate_citations c
            where c.tenant_id = $1 and c.row_id = f.relationship_id
            order by c.session_id limit 20
        ) as sessions
    from thoth.substrate_relationships f
    where f.tenant_id = $1 and f.retracted_at is null and (f.asserted_at, f.relationship_id) > ($2::timestamptz, $3::bigint)
    order by f.relationship_id desc
    limit 200
), chosen as (
    select * from facts order by cardinality(sessions) desc, row_id desc limit $5
)
select row_id, statement, fresh, sessions from (select * from patterns union all select * from chosen) r order by row_id
