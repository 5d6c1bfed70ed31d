-- backfill_failed(tenant text, passage_ids bigint[], waits_s int[], failures text[]) -> -
-- A passage that cannot be embedded waits longer each time, visible, and in the end (no wait given) until `embed retry`.
update thoth.substrate_unembedded u
set attempts = u.attempts + 1, not_before = coalesce(thoth.substrate_now() + make_interval(secs => f.wait_s), 'infinity'), failure = f.failure
from unnest($2::bigint[], $3::int[], $4::text[]) f(passage_id, wait_s, failure)
where u.tenant_id = $1 and u.passage_id = f.passage_id
