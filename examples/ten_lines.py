"""A bot that joins a table; its arguments are the server's address and the code."""

import random
import sys

from skyjo.client import Client

with Client(sys.argv[1]) as client:
    seat = client.join(sys.argv[2], "Robo")
    for table in seat.watch():
        if table.legal:
            seat.act(random.choice(table.legal), table)
        elif table.may_ready:
            seat.ready(table)
