"""The addresses that are printed when the server starts."""

from __future__ import annotations

import ipaddress

import pytest

from skyjo.web import addresses
from skyjo.web.addresses import Found, in_order


def found(address: str, interface: str) -> Found:
    return Found(ipaddress.ip_address(address), interface)


def test_home_networks_come_first_and_useless_addresses_never() -> None:
    everything = [
        found("127.0.0.1", "lo"),
        found("169.254.3.4", "wlan1"),
        found("93.184.216.34", "eth1"),
        found("172.17.0.1", "docker0"),
        found("192.168.1.5", "wlan0"),
        found("10.0.0.7", "eth0"),
        found("fe80::1", "eth0"),
        found("::1", "lo"),
    ]
    shown = [str(address) for address in in_order(everything, "10.0.0.7")]
    assert shown[0] == "10.0.0.7"
    assert shown[1] == "192.168.1.5"
    assert shown[-1] == "172.17.0.1"
    assert not {"127.0.0.1", "169.254.3.4", "fe80::1", "::1"} & set(shown)


def test_an_address_of_two_interfaces_is_shown_once() -> None:
    twice = [found("10.0.0.7", "eth0"), found("10.0.0.7", "wlan0")]
    assert len(in_order(twice, None)) == 1


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_a_server_that_listens_everywhere_has_an_address(host: str) -> None:
    shown = addresses.hosts(host)
    assert shown
    assert not set(shown) & addresses.WILDCARDS


def test_without_any_network_the_computer_itself_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "installed", lambda: [found("127.0.0.1", "lo")])
    assert addresses.hosts("0.0.0.0") == ["localhost"]


def test_the_addresses_of_this_computer_are_found() -> None:
    assert any(each.address.is_loopback for each in addresses.installed())
