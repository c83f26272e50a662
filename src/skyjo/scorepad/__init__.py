"""The score pad: rounds that people play with real cards, entered by hand.

A pad is the fold of its events, as a table is; what the points mean is asked of ``rules.scoring``.
It knows neither HTTP nor SQL. See ``docs/scorepad.md``.
"""
