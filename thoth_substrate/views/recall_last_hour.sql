-- recall_last_hour(tenant text) -> RecallHour
-- What people feel is the slow end, so the 95th percentile stands beside the median.
select count(*) as recalls, count(*) filter (where l.empty_reason is null) as shown,
       percentile_cont(0.5) within group (order by l.took_ms::double precision) as p50_ms,
       percentile_cont(0.95) within group (order by l.took_ms::double precision) as p95_ms
from thoth.substrate_recall_log l
where l.tenant_id = $1
  and l.asked_at > thoth.substrate_now() - interval '1 hour'
  and l.empty_reason is distinct from 'disabled'
