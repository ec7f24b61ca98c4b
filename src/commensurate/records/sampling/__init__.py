"""Tables of any length in bounded memory: a random sample of records, and what encoding all of them needs."""
