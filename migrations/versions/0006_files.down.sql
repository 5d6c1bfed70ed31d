-- Takes the list of watched files away; what was taken in of them stays. Citations that were withdrawn stand again.
drop table thoth.substrate_files;
drop table thoth.substrate_roots;
alter table thoth.substrate_citations drop column withdrawn_at;
