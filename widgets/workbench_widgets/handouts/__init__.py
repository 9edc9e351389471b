"""One file to hand out: a run that can be stepped with no kernel and no network."""
