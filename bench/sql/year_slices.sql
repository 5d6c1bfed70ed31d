-- Slices by what is left of them: those of the world alive, tombstones of released ones, the diary with and without its words.
select count(*) filter (where session_id <> 'diary' and released_at is null) as alive,
    count(*) filter (where session_id <> 'diary' and released_at is not null) as tombstones,
    count(*) filter (where session_id = 'diary' and released_at is null) as diary,
    count(*) filter (where session_id = 'diary' and released_at is not null) as diary_spent,
    count(*) filter (where consolidation_state in ('unconsolidated', 'partial') and released_at is null) as unconsolidated
from thoth.substrate_slices
