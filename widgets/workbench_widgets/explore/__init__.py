"""All views of one run, laid out as one."""
