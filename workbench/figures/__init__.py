"""Frames in, charts out: measures of runs by condition, their intervals, and files of them."""
