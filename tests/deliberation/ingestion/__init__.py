"""Tests of the extraction of claims by a model."""
