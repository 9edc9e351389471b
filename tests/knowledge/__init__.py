"""Tests of `workbench.knowledge`."""
