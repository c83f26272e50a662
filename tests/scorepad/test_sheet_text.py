"""Sheets from elsewhere: what is recognised, and that every fault has its place."""

from __future__ import annotations

import random

import pytest

from skyjo.scorepad.entry import Entry
from skyjo.scorepad.sheet_text import read_sheet, write_sheet


def points(text: str) -> list[tuple[int | None, ...]]:
    sheet = read_sheet(text)
    assert not sheet.faults, [str(each) for each in sheet.faults]
    return [entry.points for entry in sheet.rounds]


@pytest.mark.parametrize(
    "text",
    [
        "Ana,Ben\n12,-3\n5,7\n",
        "Ana;Ben\n12;-3\n5;7",
        "Ana\tBen\r\n12\t−3\r\n5\t7\r\n",
        "Ana | Ben\n12 | (3)\n5 | 7\n",
        "\ufeffRunde;Ana;Ben\n1;12,0;-3\n2;5;7,00\nSumme;17;4\n",
        "round,Ana,Ben,\n1,12.0,–3,\n2,5,7,\n\nTotal,17,4,\n",
        '"Ana","Ben"\n"12","-3"\n5,"7"\n',
        "Раунд;Ana;Ben\n1;12;-3\n2;5;7\nРазом;17;4\n",
    ],
)
def test_habits_are_recognised(text: str) -> None:
    assert points(text) == [(12, -3), (5, 7)]


def test_who_was_not_there() -> None:
    assert points("Ana,Ben,Cleo\n1,-,3\n1,2,\n") == [(1, None, 3), (1, 2, None)]


def test_closers_and_penalties_are_understood() -> None:
    sheet = read_sheet("round,Ana,Ben,closed,penalty\n1,10,7,Ana,\n2,10,7,ana,no\n3,1,7,,yes\n")
    assert not sheet.faults
    assert sheet.rounds == [
        Entry((10, 7), 0),
        Entry((10, 7), 0, "no"),
        Entry((1, 7), -1, "yes"),
    ]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("", ["1:1: this file holds no sheet"]),
        ("  \n \n", ["1:1: this file holds no sheet"]),
        ("Ana\n1\n", ["1:1: players in the first line: 1"]),
        ("A,B,C,D,E,F,G,H,I\n1,2,3,4,5,6,7,8,9\n", ["1:1: players in the first line: 9"]),
        ("Ana,Ben\n", ["1:1: there are names, but no rounds"]),
        ("Ana,ana\n1,2\n", ["1:5: the name ana stands here twice"]),
        ("Ana,,Ben\n1,,2\n", ["1:5: a player without a name"]),
        ("1,2\n3,4\n", ["1:1: the first line must name", "1:3: the first line must name"]),
        ("Ana,Ben\n1,x2\n3\n4,5,6\n", ["2:3: 'x2' is no", "3:2: fewer fields", "4:5: more fields"]),
        ("Ana;Ben\n1,5;2\n", ["2:1: '1,5' is no whole number"]),
        ("Ana;Ben\n99999;2\n", ["2:1: '99999' points are not possible"]),
        ('Ana,Ben\n1,"2\n', ["2:3: a quotation mark is not closed"]),
        ("Ana,Ben\n-,3\n", ["2:1: a round needs the points of at least two"]),
        ("round,Ana,Ben\n1,1,2\nTotal,1,3\n", ["3:9: the rounds of Ben add up to 2"]),
        ("Ana,Ben,closed\n1,2,Zoe\n", ["2:5: nobody on this sheet is called Zoe"]),
        ("Ana,Ben,penalty\n1,2,perhaps\n", ["2:5: the penalty is"]),
        ("Ana,Ben\n" + "1,2\n" * 501, ["502:1: a sheet has at most 500 rounds"]),
    ],
)
def test_every_fault_is_named_with_line_and_column(text: str, places: list[str]) -> None:
    faults = [str(each) for each in read_sheet(text, "a.csv").faults]
    assert len(faults) == len(places), faults
    for fault, place in zip(faults, places, strict=True):
        assert fault.startswith(f"a.csv:{place}"), fault


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_what_is_written_is_read_back(delimiter: str) -> None:
    rng = random.Random(delimiter)
    names = ["Ana", 'B"n', "=1+1", "@home", "Zoë, M.|;"]
    entries = [
        Entry(
            (*(rng.choice([None, *range(-17, 140)]) for _ in names[2:]), 1, 2),
            rng.choice([-1, 3, 4]),
            rng.choice(["rules", "yes", "no"]),
        )
        for _ in range(40)
    ]
    sheet = read_sheet(write_sheet(names, entries, delimiter))
    assert not sheet.faults
    assert sheet.names == names
    assert sheet.rounds == entries


def test_nothing_makes_the_reader_fall_over() -> None:
    rng = random.Random(5)
    marks = 'Ab12-−,;\t|"\n .()=×x–٣\u202e'
    for _ in range(3000):
        sheet = read_sheet("".join(rng.choice(marks) for _ in range(rng.randrange(60))))
        assert sheet.faults or sheet.rounds
        for fault in sheet.faults:
            assert fault.line >= 1
            assert fault.column >= 1
            assert str(fault)
