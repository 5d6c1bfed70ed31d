"""Time and attention: pin, forget, reinforce, release. Nothing is swept."""
