"""Predict and reveal: a guess before each turn or contribution is shown."""
