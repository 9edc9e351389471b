"""A consultation: passages with the readings on them, their agreement, and the isolation proof."""
