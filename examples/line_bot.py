"""A bot in ten lines that speaks the line protocol.

Try it: ``scripts/skyjo bot check "cmd:.venv/bin/python examples/line_bot.py"``.
"""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, "name": "opener"}), flush=True)
    elif message["type"] == "view":
        legal = message["legal"]
        action = "discard" if "discard" in legal else legal[-1]
        print(json.dumps({"type": "action", "id": message["id"], "action": action}), flush=True)
