-- extensions() -> ExtensionRow
-- The three that Thoth needs.
select needed.extension, e.extversion::text as installed, a.default_version::text as available
from unnest(array['vector', 'pg_trgm', 'pgcrypto']) with ordinality needed(extension, place)
left join pg_extension e on e.extname = needed.extension
left join pg_available_extensions a on a.name = needed.extension
order by needed.place
