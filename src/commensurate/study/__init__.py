"""Studies: records, questions and every answer ever given, in one database."""
