"""The ledger and the governor: what every call to a model costs, and which call may be made."""
