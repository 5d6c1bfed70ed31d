-- uncalibrated(fewest bigint, growth float8, limit_rows bigint) -> Uncalibrated
-- Tenants whose floor is missing or was calibrated when there was much less, most grown first; and those whose knowledge was measured since: within the hour the first time, then once a day.
select s.tenant_id, coalesce(m.model, '') as model
from thoth.substrate_text_stats s
left join thoth.substrate_embedding_models m on m.active
left join thoth.substrate_vector_stats v on v.tenant_id = s.tenant_id and v.model = m.model
left join thoth.substrate_floors f on f.tenant_id = s.tenant_id and f.model = coalesce(m.model, '')
where s.passages >= $1 and (m.model is null or coalesce(v.turns, 0) >= s.passages * 0.9)
  and (f.calibrated_at is null or f.calibrated_at <= thoth.substrate_now() - interval '10 minutes')
  and (s.passages >= coalesce(f.passages, 0) * $2::float8 or (
      f.calibrated_at <= thoth.substrate_now() - case when f.floor ->> 'fact_level' is null then interval '1 hour' else interval '1 day' end
      and exists (
          select from thoth.substrate_observations o
          where o.tenant_id = s.tenant_id and o.kind = 'coherence' and o.observed_at > f.calibrated_at
      )
  ))
order by s.passages::float8 / greatest(coalesce(f.passages, 0), 1) desc
limit $3
