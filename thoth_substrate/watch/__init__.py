"""Before step 1: watched folders. What lies there is taken in, changed and retired with it; live is only what is stored."""
