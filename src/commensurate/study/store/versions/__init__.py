"""How the tables of a study have changed, and how an older study is brought up to date."""
