-- Takes the links between versions away: both slices stay, the older one as it was retired.
drop table thoth.substrate_idempotency_keys;
drop table thoth.substrate_memory_versions;
