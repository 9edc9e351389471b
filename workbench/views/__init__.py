"""Runs as text, pages and pictures: pure functions of events, with no script and no network."""
