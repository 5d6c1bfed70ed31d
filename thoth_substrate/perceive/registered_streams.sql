-- registered_streams() -> RegisteredStream
-- Streams that others have registered may be perceived too, and retired ones no longer.
select stream, lifecycle = 'retired' as retired from thoth.substrate_streams
