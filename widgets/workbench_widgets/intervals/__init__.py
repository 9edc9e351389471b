"""Means over runs by condition, with their intervals; a click lists the runs of a mean."""
