"""Parts of pages that many viewers share, or that stay as they were, are rendered once.

After a move a table's page is made for everybody who looks at it, and most of it is the same for
all of them, or the same as before. What is kept is found again by everything that it was made
from, so that nobody can be shown what was made for somebody who may know more.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from jinja2 import Environment
from markupsafe import Markup

from skyjo.game import ScoreSheet
from skyjo.i18n import current_language
from skyjo.rules.layout import SLOTS
from skyjo.web.motion import Motion

#: So many characters are kept.
MOST: Final = 4_000_000


class Kept:
    """``kept`` in the templates: macros of ``_cards.html`` and ``_scores.html``, and whole parts.

    Everything depends on the arguments and the reader's language only.
    """

    def __init__(self, environment: Environment, most: int = MOST) -> None:
        self._environment = environment
        self._most = most
        self._texts: OrderedDict[Hashable, str] = OrderedDict()
        self._size = 0
        self._macros: dict[str, Callable[..., str]] = {}

    def __len__(self) -> int:
        """How many characters are kept now."""
        return self._size

    def clear(self) -> None:
        """Forget everything: something that is in it has been deleted."""
        self._texts.clear()
        self._size = 0

    def press(self, *given: str | int) -> str:
        """A large card that can be pressed when it has an action; given as to the macro."""
        return self.text(("press", *given), lambda: self._macro("_cards.html", "press")(*given))

    def mini(self, seat: int, cells: Sequence[int], motion: Motion) -> str:
        """A small grid of somebody else."""
        spots = [(seat, slot) for slot in range(SLOTS)]
        moving = tuple((motion.classes.get(spot), motion.leaving.get(spot)) for spot in spots)
        return self.text(
            ("mini", seat, tuple(cells), moving),
            lambda: self._macro("_cards.html", "mini")(seat, cells, motion),
        )

    def sheet_table(self, sheet: ScoreSheet, mine: tuple[int, ...] = ()) -> str:
        """The paper pad."""
        return self.text(
            ("sheet", sheet, mine), lambda: self._macro("_scores.html", "sheet_table")(sheet, mine)
        )

    def chart(self, sheet: ScoreSheet, target: int) -> str:
        """The line chart of the totals."""
        return self.text(
            ("chart", sheet, target), lambda: self._macro("_scores.html", "chart")(sheet, target)
        )

    def part(self, template: str, **values: Any) -> str:
        """A template that is told these values and nothing else."""
        return self.text(
            (template, *values.items()),
            lambda: Markup(self._environment.get_template(template).render(values)),  # noqa: S704 - ours
        )

    def _macro(self, template: str, name: str) -> Callable[..., str]:
        if name not in self._macros:
            self._macros[name] = getattr(self._environment.get_template(template).module, name)
        return self._macros[name]

    def text(self, key: tuple[Hashable, ...], make: Callable[[], str]) -> str:
        """What was made of this key before, or now."""
        whole = (current_language(), *key)
        text = self._texts.get(whole)
        if text is not None:
            self._texts.move_to_end(whole)
            return text
        text = self._texts[whole] = make()
        self._size += len(text)
        while self._size > self._most:
            _key, oldest = self._texts.popitem(last=False)
            self._size -= len(oldest)
        return text
