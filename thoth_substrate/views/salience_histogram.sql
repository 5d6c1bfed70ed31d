-- salience_histogram(tenant text) -> _Bin
-- Computed from the anchors as they are read: nothing is stored, nothing is swept.
select b.profile, b.bin, count(*) as slices
from (
    select a.profile,
           case when a.pinned then 9
                else least(floor(10 * thoth.substrate_level(a.anchor, a.anchored_at, a.half_life)), 9)::integer end as bin
    from thoth.substrate_salience a
    where a.tenant_id = $1
) b
group by b.profile, b.bin
order by b.profile, b.bin
