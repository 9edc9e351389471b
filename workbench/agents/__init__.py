"""Agents of the bi-layer platform: cases and roles, the Meta-Agent, specialists, the protocol."""
