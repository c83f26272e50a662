"""The kernels of every environment: a table of games that goes on one action at a time.

A *table* is a state with its ``Course``: where its cards come from, whether its episode runs, who
is to act. All environments play through ``step_all``; nothing here is a rule. Opening cards are
turned in seat order (the ruleset of a table always has ``reveal_order=seat_order``), so that there
is one seat on turn at every moment of an episode.

Arrays stay in ``step_all`` where that can be: compiled, a function that is handed one and has
several ways through may count a reference to it at every call, which costs more than a rule.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, Final

from skyjo.env.observation import fill_observation
from skyjo.rules.actions import DRAW, LEAVE
from skyjo.rules.layout import CHOOSE, GAME_OVER, MAX_SEATS, NOBODY, ROUND_OVER, State, View
from skyjo.rules.legality import legal_actions
from skyjo.rules.scoring import is_winner, winner_count
from skyjo.rules.turns import apply
from skyjo.rules.view import fill_view
from skyjo.sim.dealer import PLAY, Dealer, before_draw, deal_round
from skyjo.sim.dice import Dice, below, stream
from skyjo.sim.loop import ROUNDS_OF_GAME, begin_game, choose, may_play

#: Every action but ``leave``, which nobody does in an environment; the ids are those of the rules.
ENV_ACTIONS: Final = LEAVE

# Whether an episode goes on, and how it ended (``Course.over``).
RUNNING: Final = 0
TERMINATED: Final = 1
TRUNCATED: Final = 2
ILLEGAL: Final = 3

#: What an illegal action costs, beside the end of the episode, if nothing else is said.
ILLEGAL_REWARD: Final = -100

# What is rewarded (``Terms.reward``).
DIFFERENCE: Final = 0
POINTS: Final = 1
WIN: Final = 2

# When a finished table begins its next episode (``Terms.autoreset``).
NEXT_STEP: Final = 0
SAME_STEP: Final = 1

COURSE_FIELDS: Final[tuple[tuple[str, int, str], ...]] = (
    ("seed", 0, "points"),
    ("episode", 0, "points"),
    ("cards", 0, "points"),
    ("play", 0, "points"),
    ("learner", 0, "points"),
    ("seat", 0, "points"),
    ("over", 0, "points"),
    ("fault", 0, "points"),
    ("action", 0, "points"),
    ("count", 0, "points"),
    ("scored", 0, "points"),
    ("before", MAX_SEATS, "points"),
    ("legal", 16, "small"),
)
TERMS_FIELDS: Final[tuple[tuple[str, int, str], ...]] = (
    ("learner", 0, "points"),
    ("rotates", 0, "points"),
    ("duplicates", 0, "points"),
    ("turn_limit", 0, "points"),
    ("reward", 0, "points"),
    ("ends_illegal", 0, "points"),
    ("autoreset", 0, "points"),
)


class Course:
    """Where a table stands.

    * ``seed`` (see ``sim.dice``) and ``episode``, from 0, decide every card and every bot's choice;
      ``cards`` and ``play`` are the states of the two generators;
    * ``learner`` the seat for which the caller acts, ``NOBODY`` when it acts for all;
    * ``seat`` who is to act and is observed; at the end of an episode the learner, or who acted;
    * ``over`` ``RUNNING`` or how the episode ended;
    * ``scored`` 1 from the end of a round until it is rewarded in the same step;
    * ``fault`` the seat that chose an illegal ``action``, else ``NOBODY``;
    * ``before`` the totals after the last round that was scored;
    * ``legal`` the first ``count`` of them are what ``seat`` may do.
    """

    __slots__ = tuple(name for name, _, _ in COURSE_FIELDS)
    FIELDS = COURSE_FIELDS

    seed: int
    episode: int
    cards: int
    play: int
    learner: int
    seat: int
    over: int
    fault: int
    action: int
    count: int
    scored: int
    before: list[int]
    legal: list[int]

    def __init__(self) -> None:
        for name, length, _ in COURSE_FIELDS:
            setattr(self, name, [0] * length if length else 0)


class Terms:
    """What all tables have in common.

    * ``learner`` the seat of the learner in episode 0, ``NOBODY`` when the caller acts for all;
      with ``rotates`` it moves on by one seat with every episode; with ``duplicates`` as many
      episodes as there are seats have the same decks;
    * ``turn_limit`` after so many turns of every seat in a round the episode is cut off, 0 never;
    * ``reward`` and ``autoreset`` as the constants above;
    * ``ends_illegal`` whether an illegal action of the caller ends the episode with the reward
      ``illegal``; if not, it is refused before anything is played.
    """

    __slots__ = ("illegal", *(name for name, _, _ in TERMS_FIELDS))
    FIELDS = TERMS_FIELDS

    learner: int
    rotates: int
    duplicates: int
    turn_limit: int
    reward: int
    illegal: float
    ends_illegal: int
    autoreset: int


def step_all(  # compiled functions take no keywords
    states: Sequence[State],
    views: Sequence[View],
    dealers: Sequence[Dealer],
    courses: Sequence[Course],
    terms: Sequence[Terms],
    numbers: Sequence[float],
    table: Sequence[int],
    actions: Sequence[int],
    observations: Any,
    masks: Any,
    rewards: Any,
    seats: Any,
    ends: Any,
    final: Any,
    final_masks: Any,
    final_seats: Any,
) -> int:
    """Carry out one action at every table, then write what its next seat sees.

    Of n tables of s seats: ``actions`` (n), ``observations`` (n, size), ``masks`` (n, 44),
    ``rewards`` (n, s), ``seats`` (n) that are observed, ``ends`` (n) how an episode ended with this
    step, and under ``SAME_STEP`` ``final`` (n, size), the last observations of these episodes, with
    ``final_masks`` (n, 44) and ``final_seats`` (n). A table whose episode has ended begins the next
    one instead. Returns -1, or the number of a table where an action was illegal: of the caller
    (then nothing has been played at all) or of a bot.
    """
    v, d, t = views[0], dealers[0], terms[0]
    if not t.ends_illegal:
        number = first_illegal(states, courses, actions)
        if number >= 0:
            return number
    for number in range(len(actions)):
        s, c = states[number], courses[number]
        for seat in range(s.seats):
            rewards[number, seat] = 0.0
        d.cards.state = c.cards
        d.play.state = c.play
        if c.over != RUNNING:
            begin_episode(s, d, c, t)
        elif t.ends_illegal and not may_play(s, c.seat, actions[number]):
            c.over = ILLEGAL
            rewards[number, c.seat] = t.illegal
        else:
            carry_out(s, d, c, t, actions[number])
        go_on(s, v, d, c, t, numbers, table)
        if c.scored:
            give_rewards(s, c, t, rewards, number)
        ends[number] = c.over
        if t.autoreset == SAME_STEP and c.over != RUNNING:
            look(s, v, c.seat, final, number)
            fill_mask(v, c, final_masks, number)
            final_seats[number] = c.seat
            begin_episode(s, d, c, t)
            go_on(s, v, d, c, t, numbers, table)
        if c.fault != NOBODY:
            return number
        look(s, v, c.seat, observations, number)
        fill_mask(v, c, masks, number)
        seats[number] = c.seat
    return -1


def first_illegal(
    states: Sequence[State], courses: Sequence[Course], actions: Sequence[int]
) -> int:
    """The first table whose action is refused by the rules, -1 if all are legal."""
    for number in range(len(actions)):
        c = courses[number]
        if c.over == RUNNING and not may_play(states[number], c.seat, actions[number]):
            return number
    return -1


def begin_episode(s: State, d: Dealer, c: Course, t: Terms) -> None:
    """Deal the first round of the next episode."""
    c.episode += 1
    c.over = RUNNING
    c.fault = NOBODY
    c.learner = t.learner
    if t.rotates:
        c.learner = (t.learner + c.episode) % s.seats
    begin_game(s)
    for seat in range(MAX_SEATS):
        c.before[seat] = 0
    d.play.state = stream(c.seed, PLAY, c.episode)
    deal_next(s, d, c, t)


def deal_next(s: State, d: Dealer, c: Course, t: Terms) -> None:
    """Deal the next round; its deck depends on seed, episode and round only."""
    game = c.episode // s.seats if t.duplicates else c.episode
    deal_round(s, d, c.seed, game * ROUNDS_OF_GAME + s.round)


def go_on(
    s: State,
    v: View,
    d: Dealer,
    c: Course,
    t: Terms,
    numbers: Sequence[float],
    table: Sequence[int],
) -> None:
    """Let the bots play; then note who is to act, and where the generators stand."""
    if c.learner != NOBODY:
        play_bots(s, v, d, c, t, numbers, table)
        c.seat = c.learner
    elif s.turn != NOBODY:
        c.seat = s.turn
    c.cards = d.cards.state
    c.play = d.play.state


def play_bots(
    s: State,
    v: View,
    d: Dealer,
    c: Course,
    t: Terms,
    numbers: Sequence[float],
    table: Sequence[int],
) -> None:
    """The bots' actions until it is the learner's turn; bot 0 sits next to it, clockwise."""
    while c.over == RUNNING and s.turn != c.learner:
        seat = s.turn
        fill_view(s, seat, v)
        action = choose((seat - c.learner - 1) % s.seats, v, d.play, numbers, table)
        if not may_play(s, seat, action):
            c.fault = seat
            c.action = action
            return
        carry_out(s, d, c, t, action)


def no_bots(
    s: State,
    v: View,
    d: Dealer,
    c: Course,
    t: Terms,
    numbers: Sequence[float],
    table: Sequence[int],
) -> None:
    """Stands for ``play_bots`` where there are none."""


def carry_out(s: State, d: Dealer, c: Course, t: Terms, action: int) -> None:
    """One action of the seat on turn, and what follows from it for the episode."""
    if action == DRAW:
        before_draw(s, d)
    apply(s, s.turn, action)
    if s.phase >= ROUND_OVER:
        c.scored = 1
        if s.phase == GAME_OVER:
            c.over = TERMINATED
        else:
            deal_next(s, d, c, t)
    elif is_cut_off(s, t):
        c.over = TRUNCATED


def is_cut_off(s: State, t: Terms) -> bool:
    """Whether every seat has had its turns and nobody has closed the round.

    Seats take turns one after the other: who begins one after this many had the first of all.
    """
    if t.turn_limit == 0 or s.phase != CHOOSE or s.finisher != NOBODY:
        return False
    return s.turns[s.turn] >= t.turn_limit


def give_rewards(s: State, c: Course, t: Terms, rewards: Any, row: int) -> None:
    """Reward every seat for what has been scored in this step."""
    c.scored = 0
    if t.reward != WIN:
        reward_points(s, c, t, rewards, row)
    elif s.phase == GAME_OVER:
        reward_winners(s, rewards, row)
    for seat in range(s.seats):
        c.before[seat] = s.totals[seat]


def reward_points(s: State, c: Course, t: Terms, rewards: Any, row: int) -> None:
    """What a round added to the totals, negative; or how much less that is than for the others."""
    every = 0
    for seat in range(s.seats):
        every += s.totals[seat] - c.before[seat]
    for seat in range(s.seats):
        points = s.totals[seat] - c.before[seat]
        rewards[row, seat] -= points
        if t.reward == DIFFERENCE:
            rewards[row, seat] += (every - points) / (s.seats - 1)


def reward_winners(s: State, rewards: Any, row: int) -> None:
    """1 for winning alone, less for sharing; all rewards add up to 0."""
    share = s.seats / winner_count(s)
    for seat in range(s.seats):
        gain = share if is_winner(s, seat) else 0.0
        rewards[row, seat] += (gain - 1.0) / (s.seats - 1)


def look(s: State, v: View, seat: int, observations: Any, row: int) -> None:
    """Write what a seat sees."""
    fill_view(s, seat, v)
    fill_observation(v, observations, row)


def fill_mask(v: View, c: Course, masks: Any, row: int) -> None:
    """Write 1 for every action that is open to the view's seat, else 0."""
    c.count = legal_actions(v, v.seat, c.legal)
    for action in range(ENV_ACTIONS):
        masks[row, action] = 0
    for place in range(c.count):
        masks[row, c.legal[place]] = 1


def look_at(
    states: Sequence[State], views: Sequence[View], number: int, seat: int, observations: Any
) -> None:
    """Write what any seat of a table sees into the first row."""
    look(states[number], views[0], seat, observations, 0)


def sample_all(
    courses: Sequence[Course], dice: Sequence[Dice], actions: MutableSequence[int]
) -> None:
    """One of the legal actions of every table, each with the same chance; 0 where there is none."""
    for number in range(len(actions)):
        c = courses[number]
        actions[number] = c.legal[below(dice[0], c.count)] if c.count > 0 else 0
