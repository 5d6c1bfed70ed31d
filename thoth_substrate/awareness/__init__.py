"""The subconscious index: concepts, keywords and source pointers that expire."""
