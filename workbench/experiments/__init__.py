"""Experiments: many runs of several methods, and what they come to."""
