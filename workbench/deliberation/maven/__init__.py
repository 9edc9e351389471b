"""MAVEN: drafts on a blackboard are attacked, defended, probed, judged and revised."""
