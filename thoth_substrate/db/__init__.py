"""The only door to PostgreSQL: the pool, the query loader, the migrations, the embedded server."""
