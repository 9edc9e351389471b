"""The Theory-of-Mind board: what specialists expected of each other, and what they then said."""
