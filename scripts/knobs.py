"""Writes the tables of presets and knobs into docs/rules.md, from the rulesets themselves.

Run it with ``.venv/bin/python scripts/knobs.py``; a test tells when it is due.
"""

from __future__ import annotations

from pathlib import Path

from skyjo.rules.ruleset import DEFAULT_PRESET, KNOBS, PRESETS, Knob

PAGE = Path(__file__).resolve().parent.parent / "docs" / "rules.md"
BEGIN = "<!-- presets and knobs: written by scripts/knobs.py -->\n"
END = "<!-- end -->\n"


def tables() -> str:
    """What stands between the two marks."""
    return "\n".join([_presets(), _differences(), _knobs()])


def _presets() -> str:
    lines = ["| preset | in a sentence |", "|---|---|"]
    lines += [f"| `{preset.name}` | {preset.says} |" for preset in PRESETS.values()]
    return "\n".join(lines) + "\n"


def _differences() -> str:
    """Only the knobs in which any preset differs from the default."""
    lines = [f"| knob | {' | '.join(f'`{name}`' for name in PRESETS)} |"]
    lines.append("|---" * (len(PRESETS) + 1) + "|")
    default = PRESETS[DEFAULT_PRESET].ruleset
    for knob in KNOBS:
        values = [preset.ruleset.value(knob.name) for preset in PRESETS.values()]
        if set(values) != {default.value(knob.name)}:
            lines.append(f"| `{knob.name}` | {' | '.join(values)} |")
    return "\n".join(lines) + "\n"


def _knobs() -> str:
    lines = ["| knob | what it means | values, the default first |", "|---|---|---|"]
    lines += [f"| `{knob.name}` | {knob.says} | {_values(knob)} |" for knob in KNOBS]
    return "\n".join(lines) + "\n"


def _values(knob: Knob) -> str:
    if not knob.values:
        least = f"a whole number from {knob.least}"
        return f"`{knob.text(knob.default)}`; {least}{', or `none`' if knob.none else ''}"
    first = sorted(knob.values, key=lambda value: value.number != knob.default)
    return "<br>".join(f"`{value.name}`: {value.says}" for value in first)


def page(text: str) -> str:
    """The page with the tables as they should be."""
    before, _begin, rest = text.partition(BEGIN)
    _old, _end, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
