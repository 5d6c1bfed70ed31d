"""Claude Code: its plugin (manifest, hooks, MCP server, skill) and what the server makes of its hooks."""
