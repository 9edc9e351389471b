"""Tests of the ways to answer a question together."""
