"""How far estimates are off after as many answers as people can give:
ours, the paper's algorithms, general regression.
"""
