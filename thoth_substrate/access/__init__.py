"""Who may ask: tokens, and the tenant, agent, session and user that a request speaks for."""
