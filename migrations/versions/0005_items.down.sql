-- Takes the hosts' stores away, with all that is in them. What was perceived of them stays.
drop table thoth.substrate_items_unsaid;
drop table thoth.substrate_item_vectors;
drop table thoth.substrate_items;
drop function thoth.substrate_unsay_item();
drop sequence thoth.substrate_item_numbers;
