"""The ids under which Gymnasium knows our environments."""

from __future__ import annotations

from typing import Any, Final

import gymnasium

#: Id, and what is different from the defaults. All of them can be made one by one and as vectors.
IDS: Final[dict[str, dict[str, Any]]] = {
    "skyjo/Round-v0": {},
    "skyjo/Game-v0": {"episode": "game", "reward": "win"},
}
#: The caller acts for all seats; a vector only, since a step of it belongs to no single agent.
SELF_PLAY: Final = "skyjo/SelfPlay-v0"


def register() -> None:
    """Make ``gymnasium.make("skyjo/Round-v0")`` work; importing ``skyjo.env`` does it.

    >>> import gymnasium, skyjo.env
    >>> gymnasium.make("skyjo/Round-v0", opponents=["random"], compiled=False).reset(seed=1)[0].size
    135
    """
    single, vector = "skyjo.env.single:SkyjoEnv", "skyjo.env.vector:SkyjoVectorEnv"
    for name, settings in IDS.items():
        gymnasium.register(
            name,
            entry_point=single,
            vector_entry_point=vector,
            kwargs={"opponents": ("greedy",), **settings},
        )
    gymnasium.register(SELF_PLAY, vector_entry_point=vector)
