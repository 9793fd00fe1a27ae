import json

import pytest

from proxy.demo.texts.checkout import Checkout

FILES = {"a/one.py": "x = 1\ny = 2\n", "b/two.py": "x = 3\n"}


def test_a_search_names_file_and_line():
    assert Checkout(FILES).grep("x =").result == "a/one.py:1:x = 1\nb/two.py:1:x = 3"


def test_a_search_that_finds_nothing_says_so():
    assert Checkout(FILES).grep("x =", "c").result == "no match"


def test_an_edit_is_seen_by_the_next_read():
    tree = Checkout(FILES)
    tree.edit("a/one.py", "y = 2", "y = 5")
    assert tree.read("a/one.py").result == "    1\tx = 1\n    2\ty = 5"


def test_an_edit_carries_both_texts_in_its_arguments():
    call = Checkout(FILES).edit("a/one.py", "y = 2", "y = 5")
    assert json.loads(json.dumps(call.arguments)) == {"path": "a/one.py", "old_text": "y = 2", "new_text": "y = 5"}


def test_an_edit_of_a_text_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"a/one\.py holds the text to replace 0 times: 'z'"):
        Checkout(FILES).edit("a/one.py", "z", "q")


def test_a_diff_shows_all_changes_and_new_files():
    tree = Checkout(FILES)
    tree.edit("a/one.py", "y = 2", "y = 5")
    tree.write("c.py", "new\n")
    assert [
        line for line in tree.diff().result.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ] == [
        "-y = 2",
        "+y = 5",
        "+new",
    ]
