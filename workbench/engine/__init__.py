"""How a run happens: commands, the execution without IO, and the drivers that answer it."""
