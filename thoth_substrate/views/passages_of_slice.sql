-- passages_of_slice(tenant text, slice_id uuid) -> PassageLine
-- Its pieces and which models have embedded them.
select p.passage_no, p.seq, p.char_start, p.char_end, p.length as terms,
       array(select distinct v.model
             from thoth.substrate_embedding_models m
             join thoth.substrate_passage_vectors v on v.tenant_id = p.tenant_id and v.model = m.model and v.passage_id = p.passage_id
             order by v.model) as models
from thoth.substrate_passages p
where p.tenant_id = $1
  and p.slice_id = $2
order by p.passage_no
