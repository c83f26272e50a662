"""Play many random games against the oracle: `python -m tests.oracle_run --games 1000`.

For every preset that many games to their end, then as many under random rulesets; everything is
compared after every ply. Progress goes to standard error, the figures as JSON to standard output.
Ends with status 1 at the first disagreement. `--from N` goes on after game N of an earlier run.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter

from tests.kit.games import plies, random_setup
from tests.kit.lockstep import Disagreement

from skyjo.rules.ruleset import PRESETS

RANDOM = "random rulesets"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="games per preset")
    parser.add_argument("--from", type=int, default=0, dest="first", help="first game's number")
    parser.add_argument("--only", choices=[*PRESETS, RANDOM], help="only this preset")
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    for base in [options.only] if options.only else [*PRESETS, RANDOM]:
        begin = time.monotonic()
        figures[base] = dict(compare(base, options.first, options.games))
        figures[base]["seconds"] = round(time.monotonic() - begin, 1)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0


def compare(base: str, first: int, games: int) -> Counter[str]:
    """Counts of what was played and compared."""
    counts: Counter[str] = Counter()
    shown = time.monotonic()
    for number in range(first, first + games):
        setup = random_setup(number, None if base == RANDOM else base)
        try:
            played = list(plies(setup, rounds=1000))
        except Disagreement:
            sys.stderr.write(f"{base}, game {number}: {setup}\n")
            raise
        counts["games"] += 1
        counts["plies"] += played[-1].plies
        counts["rounds"] += played[-1].table.round
        if time.monotonic() - shown > 5:
            shown = time.monotonic()
            sys.stderr.write(f"{base}: game {number}, {dict(counts)}\n")
    return counts


if __name__ == "__main__":
    sys.exit(main())
