import itertools
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode

from memory.errors import IncorrectLabelError
from memory.label import (
    WORLDVIEW,
    Integrity,
    Label,
    Layer,
    Sensitivity,
    Space,
    Spaces,
    graph_name,
    parse_graph_name,
    parse_label,
    parse_space,
    team,
    user,
)

PEOPLE = [str(UUID(int=n)) for n in range(1, 5)]
TEAMS = [str(UUID(int=n)) for n in range(11, 15)]

uuids = st.uuids().map(str)
spaces = st.one_of(st.just(WORLDVIEW), uuids.map(team), uuids.map(user))
labels = st.builds(Label, spaces, st.sampled_from(Sensitivity), st.sampled_from(Integrity))
known_spaces = st.sampled_from([WORLDVIEW, *map(team, TEAMS), *map(user, PEOPLE)])
known_labels = st.builds(Label, known_spaces, st.sampled_from(Sensitivity), st.sampled_from(Integrity))
orders = st.dictionaries(st.sampled_from(TEAMS), st.frozensets(st.sampled_from(PEOPLE))).map(Spaces)


@pytest.mark.requirement("names")
@given(st.sampled_from(Layer), labels)
def test_a_graph_name_reads_back_as_its_layer_and_label(layer: Layer, label: Label) -> None:
    assert parse_graph_name(graph_name(layer, label)) == (layer, label)


@pytest.mark.requirement("names")
@given(labels, labels)
def test_two_labels_never_share_a_name(left: Label, right: Label) -> None:
    names = {(layer, label): graph_name(layer, label) for layer in Layer for label in (left, right)}
    assert len(set(names.values())) == len(names)


@pytest.mark.requirement("names")
@given(st.text())
def test_whatever_reads_as_a_label_is_written_back_the_same(text: str) -> None:
    for candidate in (text, f"worldview:{text}", f"user:{PEOPLE[0]}:{text}", f"team:{text}:secret"):
        try:
            label = parse_label(candidate)
        except IncorrectLabelError:
            continue
        assert str(label) == candidate


@pytest.mark.requirement("names")
@pytest.mark.parametrize(
    "name",
    [
        "urn:muniment:meta",
        "urn:muniment:facts:worldview",
        "urn:muniment:facts:worldview:public:trusted",
        "urn:muniment:facts:user:ABCDEF00-0000-7000-8000-000000000000:public",
        "urn:muniment:facts:user::public",
        "urn:muniment:other:worldview:public",
        "urn:g:facts:worldview:public",
    ],
)
def test_other_names_are_no_labelled_graph(name: str) -> None:
    assert parse_graph_name(NamedNode(name)) is None


@pytest.mark.requirement("names")
@pytest.mark.parametrize("text", ["", "worldview:x", "user", "team:1", f"user:{PEOPLE[0]} "])
def test_other_words_are_no_space(text: str) -> None:
    with pytest.raises(IncorrectLabelError):
        parse_space(text)


@pytest.mark.requirement("names")
@given(spaces)
def test_a_space_reads_back(space: Space) -> None:
    assert parse_space(str(space)) == space


@pytest.mark.requirement("joins")
@given(orders, known_labels, known_labels, known_labels)
def test_labels_are_partially_ordered(order: Spaces, a: Label, b: Label, c: Label) -> None:
    assert order.leq(a, a)
    if order.leq(a, b) and order.leq(b, a):
        assert a == b
    if order.leq(a, b) and order.leq(b, c):
        assert order.leq(a, c)


@pytest.mark.requirement("joins")
@given(orders, known_labels, known_labels)
def test_a_join_is_every_minimal_label_above_both_and_nothing_else(order: Spaces, a: Label, b: Label) -> None:
    everything = [
        Label(space, s, i)
        for space, s, i in itertools.product([WORLDVIEW, *map(team, TEAMS), *map(user, PEOPLE)], Sensitivity, Integrity)
    ]
    above = [label for label in everything if order.leq(a, label) and order.leq(b, label)]
    least = {m for m in above if not any(n != m and order.leq(n, m) for n in above)}
    assert set(order.join(a, b)) == least == set(order.join(b, a))


@pytest.mark.requirement("joins", "I2")
@given(orders, known_labels, known_labels)
def test_a_clearance_is_everything_at_or_below_its_top(order: Spaces, top: Label, label: Label) -> None:
    clearance = order.clearance(top.space, top.sensitivity, top.integrity)
    assert (label in clearance) == order.leq(label, top)
    assert clearance.strings() == sorted(map(str, clearance.labels))


@pytest.mark.requirement("joins")
def test_two_people_have_no_common_label_and_two_teams_have_their_common_members() -> None:
    order = Spaces({TEAMS[0]: frozenset(PEOPLE[:3]), TEAMS[1]: frozenset(PEOPLE[1:])})
    assert order.join(Label(user(PEOPLE[0])), Label(user(PEOPLE[1]))) == ()
    both = order.join(Label(team(TEAMS[0])), Label(team(TEAMS[1]), Sensitivity.SECRET))
    assert both == tuple(Label(user(p), Sensitivity.SECRET) for p in PEOPLE[1:3])
    alone = order.with_member(TEAMS[1], PEOPLE[1], present=False).with_member(TEAMS[1], PEOPLE[2], present=False)
    assert alone.join(Label(team(TEAMS[0])), Label(team(TEAMS[1]))) == ()
