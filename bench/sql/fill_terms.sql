-- In how many passages each term occurs.
insert into thoth.substrate_terms (tenant_id, term, passages)
select tenant_id, term, count(*) from thoth.substrate_postings where tenant_id = %(tenant)s group by tenant_id, term
