"""Published ways to answer a question, each a protocol on one screen."""
