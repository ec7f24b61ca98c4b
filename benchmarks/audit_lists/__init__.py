"""Lists of violations by calibrated intervals: how many pairs they have, and how many of these are no violation."""
