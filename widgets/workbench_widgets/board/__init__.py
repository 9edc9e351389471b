"""The state of a deliberation at a place of its run: goal, rules, drafts, knowledge, verdicts."""
