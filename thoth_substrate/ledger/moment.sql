-- moment() -> Moment
-- One instant for a whole reservation: its windows and its row must not fall on two sides of an hour.
select thoth.substrate_now() as at
