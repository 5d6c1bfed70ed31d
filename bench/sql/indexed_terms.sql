-- Which of the words that were planted can be found by now.
select term from thoth.substrate_postings where tenant_id = %(tenant)s and term = any(%(terms)s)
