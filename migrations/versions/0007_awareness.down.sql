-- Takes the subconscious index away; what it pointed to stays where it is.
drop table thoth.substrate_sources;
drop table thoth.substrate_keywords;
drop table thoth.substrate_concepts;
