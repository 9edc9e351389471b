"""What a consultation came to, for reading: the account that views share, and a page to print."""
