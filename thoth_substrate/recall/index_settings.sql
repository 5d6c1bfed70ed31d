-- index_settings(near_rows int) -> IndexSettings
-- How far the vector index looks, for this transaction: as many as are asked for, and on past other tenants' rows.
select set_config('hnsw.ef_search', least($1::int, 1000)::text, true) as ef_search,
    set_config('hnsw.iterative_scan', 'relaxed_order', true) as iterative_scan
