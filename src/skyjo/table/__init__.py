"""The live authority over tables: seats, versions, bots to move, who is away and who has left.

No HTTP and no SQL. It speaks to a ``Store`` and a ``Publisher``; ``docs/table.md`` tells the story.
"""
