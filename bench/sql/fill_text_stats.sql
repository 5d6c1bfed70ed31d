-- What BM25 needs to know of the tenant.
insert into thoth.substrate_text_stats (tenant_id, passages, total_length)
select tenant_id, count(*), sum(length) from thoth.substrate_passages where tenant_id = %(tenant)s group by tenant_id
