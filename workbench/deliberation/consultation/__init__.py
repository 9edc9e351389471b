"""Consultation: isolated interpreters read one retrieval package; what they agree on is shown."""
