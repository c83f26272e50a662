"""The addresses under which this computer can be reached by others at home."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

WILDCARDS = {"0.0.0.0", "::", ""}  # noqa: S104 - only recognised here

#: Networks that exist inside this computer only: containers, virtual machines.
_INTERNAL = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "lxc", "cni", "podman", "vnic")


_LOOPBACK: Final = re.compile(r"(localhost|127(\.[0-9]+){3}|\[::1\])(:[0-9]+)?", re.IGNORECASE)


class Found(NamedTuple):
    """An address and the network interface that has it."""

    address: Address
    interface: str


def is_for_this_computer(place: str) -> bool:
    """Whether a host, with its port if need be, means whatever computer names it.

    >>> is_for_this_computer("localhost:8000"), is_for_this_computer("[::1]")
    (True, True)
    >>> is_for_this_computer("192.0.2.7"), is_for_this_computer("127.0.0.1.example")
    (False, False)
    """
    return _LOOPBACK.fullmatch(place) is not None


def hosts(host: str) -> list[str]:
    """The hosts to name in links to a server that listens on ``host``, the best one first.

    A server that listens everywhere is named by its addresses in local networks; where there is
    none, by ``localhost``.

    >>> hosts("192.0.2.7")
    ['192.0.2.7']
    """
    if host not in WILDCARDS:
        return [host]
    wanted = (4, 6) if host == "::" else (4,)
    found = in_order((each for each in installed() if each.address.version in wanted), preferred())
    return [str(address) for address in found] or ["localhost"]


def in_order(found: Iterable[Found], first: str | None) -> list[Address]:
    """The addresses that others can use: ``first``, then home networks, then the rest.

    >>> lan = Found(ipaddress.ip_address("192.168.1.5"), "wlan0")
    >>> inside = Found(ipaddress.ip_address("172.17.0.1"), "docker0")
    >>> own = Found(ipaddress.ip_address("127.0.0.1"), "lo")
    >>> [str(address) for address in in_order([own, inside, lan], None)]
    ['192.168.1.5', '172.17.0.1']
    """
    usable = [
        each
        for each in found
        if not (
            each.address.is_loopback
            or each.address.is_link_local
            or each.address.is_multicast
            or each.address.is_unspecified
        )
    ]

    def rank(each: Found) -> tuple[bool, bool, bool, int]:
        return (
            str(each.address) != first,
            each.interface.lower().startswith(_INTERNAL),
            not each.address.is_private,
            each.address.version,
        )

    return list(dict.fromkeys(each.address for each in sorted(usable, key=rank)))


def installed() -> list[Found]:
    """Every address of every network interface of this computer."""
    import ifaddr

    found = []
    for adapter in ifaddr.get_adapters():
        for entry in adapter.ips:
            text = entry.ip if isinstance(entry.ip, str) else entry.ip[0]
            found.append(Found(ipaddress.ip_address(text), adapter.nice_name))
    return found


def preferred() -> str | None:
    """The own address on the way to the internet; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address set aside for documentation
        except OSError:
            return None
        return str(probe.getsockname()[0])


def url(host: str, port: int) -> str:
    """The address of the start page.

    >>> url("::1", 8000), url("192.0.2.7", 80)
    ('http://[::1]:8000/', 'http://192.0.2.7/')
    """
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}/" if port == 80 else f"http://{shown}:{port}/"
