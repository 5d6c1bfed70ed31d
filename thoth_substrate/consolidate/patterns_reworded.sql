-- patterns_reworded(tenant text, pattern_ids bigint[], times integer[], firsts timestamptz[], lasts timestamptz[]) -> -
-- Said again in other words: counted, and dated by what it rests on by now.
update thoth.substrate_patterns p
set rewordings = p.rewordings + w.times, valid_from = least(p.valid_from, w.first), valid_to = greatest(p.valid_to, w.last)
from unnest($2::bigint[], $3::integer[], $4::timestamptz[], $5::timestamptz[]) w(pattern_id, times, first, last)
where p.tenant_id = $1 and p.pattern_id = w.pattern_id and p.retracted_at is null
