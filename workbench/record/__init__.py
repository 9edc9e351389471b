"""What happened: events, their file, and the tables made from them."""
