-- A passage a slice: the texts are shorter than a passage may be.
insert into thoth.substrate_passages (tenant_id, slice_id, passage_no, stream_id, session_no, seq, event_time, char_start, char_end,
    length, flags, actor, terms, counts)
select %(tenant)s, s.slice_id, 0, c.stream_id, e.session_no, s.seq, s.event_time, 0, length(s.text), s.length, s.flags, s.actor, s.terms, s.counts
from staged s
join thoth.substrate_streams c using (stream)
join thoth.substrate_sessions e on e.tenant_id = %(tenant)s and e.session_id = s.session_id
order by s.n
