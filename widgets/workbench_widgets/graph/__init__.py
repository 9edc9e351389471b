"""Draw agents as a graph: who nominated, read and answered whom."""
