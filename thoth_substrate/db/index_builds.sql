-- index_builds() -> Count
-- A detach during an index build waits for its end (nine minutes were measured), and so does all that queues behind it.
select count(*)::integer as n from pg_stat_progress_create_index where datname = current_database()
