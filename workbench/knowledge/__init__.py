"""Corpora: documents, passages with stable ids, passports and hybrid retrieval."""
