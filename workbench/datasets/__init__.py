"""Questions with known answers: one typed item, readers of published files, and scorers."""
