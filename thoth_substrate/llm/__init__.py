"""The only door to models."""

import logging

# At DEBUG that library logs what is sent and received: content, which no log of ours ever holds.
logging.getLogger("openai").setLevel(logging.INFO)
