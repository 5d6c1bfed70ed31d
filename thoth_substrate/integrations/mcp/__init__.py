"""The MCP server: the memory as tools, resources and prompts, over stdio and streamable HTTP."""
