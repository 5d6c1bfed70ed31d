-- asked_met(tenant text, person text, names text[], meetings text[], except_session text, at timestamptz) -> Met
-- The last time that somebody spoke, was named beside a word for a meeting, and was named at all: down the index of passages by time.
with named as materialized (
    select o.passage_id from thoth.substrate_postings o
    where o.tenant_id = $1 and o.term = any ($3)
    group by o.passage_id
    having count(*) = cardinality($3)
)
(select 'spoke' as how, p.session_no, p.event_time
 from thoth.substrate_passages p
 join thoth.substrate_sessions s on s.tenant_id = $1 and s.session_no = p.session_no
 where p.tenant_id = $1 and p.event_time <= $6 and p.actor ~* $2 and s.session_id is distinct from $5
 order by p.event_time desc limit 1)
union all
(select 'met', p.session_no, p.event_time
 from named
 join thoth.substrate_passages p on p.tenant_id = $1 and p.passage_id = named.passage_id
 join thoth.substrate_sessions s on s.tenant_id = $1 and s.session_no = p.session_no
 where p.event_time <= $6 and p.terms && $4 and s.session_id is distinct from $5
 order by p.event_time desc limit 1)
union all
(select 'named', p.session_no, p.event_time
 from named
 join thoth.substrate_passages p on p.tenant_id = $1 and p.passage_id = named.passage_id
 join thoth.substrate_sessions s on s.tenant_id = $1 and s.session_no = p.session_no
 where p.event_time <= $6 and s.session_id is distinct from $5
 order by p.event_time desc limit 1)
