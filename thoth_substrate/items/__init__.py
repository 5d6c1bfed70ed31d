"""Values under a namespace and a key, as hosts with a store of their own expect them."""
