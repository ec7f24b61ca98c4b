"""Worlds, people, studies, servers and browsers for the tests, one file for each subject.

``small_…`` has just enough data to show what is tested;
``plain_…`` is written straight from a definition, and is what the library must equal.
"""
