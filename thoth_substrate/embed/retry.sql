-- retry() -> -
-- An operator has mended what was wrong: forget the failures.
update thoth.substrate_unembedded set attempts = 0, not_before = '-infinity', failure = null where attempts > 0
