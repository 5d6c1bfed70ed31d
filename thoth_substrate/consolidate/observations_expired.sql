-- observations_expired(tenant text) -> -
-- Measurements and dreams are logs, and are kept as long as the profile says; the last measurement is always kept.
delete from thoth.substrate_observations o
using thoth.substrate_profiles p
where o.tenant_id = $1 and p.profile = 'log' and o.observed_at + p.expire_after <= thoth.substrate_now()
    and (o.kind in ('coherence', 'dream') or o.retracted_at is not null)
    and o.observation_id <> coalesce((
        select l.observation_id from thoth.substrate_observations l
        where l.tenant_id = $1 and l.kind = 'coherence'
        order by l.observed_at desc, l.observation_id desc limit 1
    ), 0)
