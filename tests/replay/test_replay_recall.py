"""Which uses count, and what can still be seen of them."""

from __future__ import annotations

from proxy.replay.recall import Before, InView, Recall, shared_start
from proxy.replay.said import Said


def items(text: str) -> frozenset[str]:
    return frozenset(text.split())


def before(*messages: Said, definitions: str = "") -> Before:
    history = Before(items(definitions))
    for message in messages:
        history.take(message)
    return history


def test_evidence_stood_in_results_and_nowhere_else():
    history = before(
        Said("user", text=items("told")),
        Said("assistant", text=items("answered"), arguments=items("argued"), calls=items("called")),
        Said("tool", text=items("told answered argued called defined only")),
        definitions="defined",
    )
    used = items("told answered argued called defined only never")
    assert history.evidence(used) == {"only"}


def test_reuse_stood_in_results_or_arguments_used_again_or_not():
    history = before(
        Said("system", text=items("told")),
        Said("tool", text=items("first again told")),
        Said("assistant", text=items("again answered"), arguments=items("argued told")),
    )
    assert history.reuse(items("first again argued told answered never")) == {"first", "again", "argued"}


def view(**messages: Said) -> InView:
    shown = InView({name.encode(): said for name, said in messages.items()}.__getitem__)
    shown.show([name.encode() for name in messages])
    return shown


def message(text: str, plain: str | None = None, locators: str = "") -> Said:
    return Said("tool", text=items(text), plain=items(text if plain is None else plain), locators=items(locators))


def test_what_is_shown_is_in_context():
    assert view(a=message("one two")).recall(items("one three"), {}) == Recall(2, 1, 1, 1)


def test_what_is_behind_a_shown_locator_is_reachable():
    shown = view(a=message("one", locators="L M"))
    behind = {"L": items("two"), "N": items("three")}
    assert shown.recall(items("one two three"), behind) == Recall(3, 1, 2, 1)


def test_a_locator_that_does_not_resolve_reaches_nothing():
    assert view(a=message("", locators="L")).recall(items("two"), {}) == Recall(1, 0, 0, 0)


def test_without_name_lists_only_plain_items_count():
    assert view(a=message("one two", plain="one")).recall(items("one two"), {}) == Recall(2, 2, 2, 1)


def test_the_view_follows_what_leaves_comes_and_stands_twice():
    known = {b"a": message("one", locators="L"), b"b": message("two"), b"c": message("one")}
    shown = InView(known.__getitem__)
    shown.show([b"a", b"b", b"c"])
    shown.show([b"b", b"c"])
    assert shown.recall(items("one two"), {"L": items("three")}).in_context == 2
    assert list(shown.locators()) == []
    shown.show([b"b"])
    assert shown.recall(items("one two"), {}).in_context == 1
    shown.show([b"b", b"b", b"a"])
    assert shown.recall(items("one two"), {}).in_context == 2


def test_recalls_add_up():
    both = Recall(4, 3, 2, 1) + Recall(1, 1, 1, 1)
    assert both == Recall(5, 4, 3, 2)
    assert (both.share, Recall().share) == (0.8, None)


def test_the_shared_start_ends_at_the_first_difference():
    assert [shared_start([b"a", b"b"], other) for other in ([], [b"a"], [b"a", b"c", b"b"], [b"a", b"b", b"c"])] == [
        0, 1, 1, 2,
    ]  # fmt: skip
