"""Ingestion: claims of a corpus read by a model, through the structural gate (layer 1)."""
