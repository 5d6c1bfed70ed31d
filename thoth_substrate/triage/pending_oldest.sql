-- pending_oldest(limit_rows bigint) -> PendingSlice
-- Who waits longest, without a lock: what is decided of them is re-checked when it is written.
select tenant_id, slice_id from thoth.substrate_pending order by queued_at limit $1
