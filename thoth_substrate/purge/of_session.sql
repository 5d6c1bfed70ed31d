-- of_session(tenant text, session text) -> SliceId
-- Every slice of a session, forgotten and released ones too; the diary is no session.
select slice_id from thoth.substrate_slices
where tenant_id = $1 and session_id = $2 and consolidation_state <> 'exempt' order by slice_id
