-- register_streams(streams text[], families text[], modalities text[], sources text[], profiles text[]) -> -
-- A stream that is there already is left as it is: an operator may have given it another profile, or retired it.
insert into thoth.substrate_streams (stream, family, modality, source, profile)
select stream, family, modality, source, profile
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) given (stream, family, modality, source, profile)
where not exists (select from thoth.substrate_streams known where known.stream = given.stream)
order by stream
on conflict (stream) do nothing
