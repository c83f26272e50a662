"""The random numbers of bulk play: the same ones in the interpreter and compiled.

Compiled arithmetic on signed numbers must not overflow, so that a product has to stay below 2**63.
Both parts are made of one such step, a number of 32 bits times a factor of 31 bits plus what is
above them:

* the generator is a multiply-with-carry of 63 bits (G. Marsaglia, 1994), whose halves are
  combined as in MWC64X (D. Thomas, 2011); the factor makes the period (factor * 2**31 - 1);
* where it starts comes from ``stream``, a hash of the seed and of what the numbers are for, so
  that every round has its own numbers, whoever plays it, on whichever processor.
"""

from __future__ import annotations

import hashlib
from typing import Final

LOW: Final = 0xFFFFFFFF
#: The bits of a seed, and of the beginning of a stream.
MASK: Final = 0x1FFFFFFFFFFFFFFF
#: A * 2**32 - 1 and A * 2**31 - 1 are primes.
FACTOR: Final = 2100198045

DICE_FIELDS: Final[tuple[tuple[str, int, str], ...]] = (("state", 0, "points"),)


class Dice:
    """A generator: ``state``, from 1 to ``FACTOR`` * 2**32 - 2, is all there is to it.

    >>> dice = Dice(stream(seed_number(7), 1, 2))
    >>> [below(dice, 6) for _ in range(8)]
    [2, 1, 4, 0, 3, 3, 4, 3]
    """

    __slots__ = ("state",)
    FIELDS = DICE_FIELDS

    def __init__(self, state: int = 1) -> None:
        self.state = state


def seed_number(seed: int | str) -> int:
    """Any seed as a whole number of 61 bits.

    >>> seed_number(7) == seed_number("7") != seed_number(8)
    True
    """
    digest = hashlib.blake2b(str(seed).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") & MASK


def stream(seed: int, purpose: int, number: int) -> int:
    """The beginning of a generator for a purpose (0 to 3) and a number below 2**58."""
    return mixed(seed ^ mixed(number * 4 + purpose)) + 1


def mixed(number: int) -> int:
    """A number of 61 bits that depends on every bit of this one."""
    number = folded((number & LOW) * 0x7D2E55A5 + (number >> 32))
    number = folded((number & LOW) * 0x6B8B4567 + (number >> 32))
    number = folded((number & LOW) * 0x5851F42D + (number >> 32))
    number = folded((number & LOW) * 0x74957F2D + (number >> 32))
    number = folded((number & LOW) * 0x6C078965 + (number >> 32))
    number = folded((number & LOW) * 0x5D588B65 + (number >> 32))
    return number & MASK


def folded(number: int) -> int:
    """The high bits into the low ones."""
    return number ^ number >> 29


def roll(dice: Dice) -> int:
    """The next 32 random bits, as a number below 2**32."""
    low = dice.state & LOW
    high = dice.state >> 32
    dice.state = low * FACTOR + high
    return low ^ high


def below(dice: Dice, limit: int) -> int:
    """A random whole number from 0 to ``limit`` - 1; ``limit`` is at most 2**24.

    The chances of two numbers differ by no more than 2**-32.
    """
    return roll(dice) * limit >> 32
