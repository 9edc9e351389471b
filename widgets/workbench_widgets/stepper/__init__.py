"""Step a run forward and back."""
