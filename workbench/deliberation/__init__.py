"""Ways to answer a question together: MAVEN, and the baselines that it is compared with."""
