-- schema_revision() -> Revision
-- The revision that the database is at; no row when everything was taken back.
select version_num::text as revision from thoth.substrate_schema_version
