-- The inverted index, in the order of its key, so that its tree is built from left to right.
insert into thoth.substrate_postings (tenant_id, term, passage_id, count, length)
select p.tenant_id, t.term, p.passage_id, t.count, p.length
from thoth.substrate_passages p cross join lateral unnest(p.terms, p.counts) t(term, count)
where p.tenant_id = %(tenant)s
order by t.term, p.passage_id
