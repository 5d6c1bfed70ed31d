"""Writing a host's configuration: what would change is known before anything is written, and can be taken back."""
