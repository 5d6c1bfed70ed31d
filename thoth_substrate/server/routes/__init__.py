"""The routes of the API, a module a noun: each gives its router by `routes(house)`."""
