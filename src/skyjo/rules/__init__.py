"""The rules of Skyjo, once: plain functions over a flat state of whole numbers.

Where to look: ``ruleset`` presets and house rules, ``layout`` the state, ``deal`` deck and
reshuffle, ``turns`` what an action does, ``legality`` what may be done and why not, ``scoring``
points, penalty and the end of the game, ``view`` what a seat may know, ``text`` the rules in words.
"""
