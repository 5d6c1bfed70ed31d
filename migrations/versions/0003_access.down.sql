-- Takes the tokens away: a server that listens beyond loopback does not start afterwards.
drop table thoth.substrate_tokens;
