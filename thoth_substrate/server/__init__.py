"""The HTTP server: one application, its gate, its limits and its routes."""
