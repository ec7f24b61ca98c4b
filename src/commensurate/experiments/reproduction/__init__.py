"""All experiments in one run that can be stopped and goes on, and the report on what came out."""
