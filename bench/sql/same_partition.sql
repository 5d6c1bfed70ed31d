-- A tenant's name that shares its hash partition with the one given: the hardest neighbour for a small tenant.
select name from (select 'small-' || n as name from generate_series(1, 1000) n) names
where satisfies_hash_partition('thoth.substrate_passage_vectors'::regclass, 16, %(remainder)s, name)
order by length(name), name limit 1
