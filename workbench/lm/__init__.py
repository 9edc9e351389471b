"""Language models: who answers an ask."""
