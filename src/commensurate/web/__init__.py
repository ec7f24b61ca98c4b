"""The page where experts answer and the owner watches: routes, sign-in, guards, templates. Needs the extra ``web``."""
