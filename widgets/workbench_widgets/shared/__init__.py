"""What every widget stands on: a cursor, pages of a run, the store of the front end, one style."""
