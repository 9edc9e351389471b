"""Two or more runs side by side: where they part, and what changed."""
