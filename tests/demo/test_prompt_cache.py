from proxy.demo.prompt_cache import MESSAGE_OVERHEAD, Prompt, PromptCache, PromptCounter, Segment
from tests.demo.demo_builders import a_body, assistant, result, system, user, words


def segments(*pairs: tuple[str, int]) -> list[Segment]:
    return [Segment(name.encode(), tokens) for name, tokens in pairs]


def test_the_first_request_reads_nothing():
    assert PromptCache().serve("m", segments(("a", 2000))) == Prompt(2000, 0)


def test_a_longer_history_reads_its_prefix_in_steps_of_128():
    cache = PromptCache()
    cache.serve("m", segments(("a", 1500)))
    assert cache.serve("m", segments(("a", 1500), ("b", 100))) == Prompt(1600, 1408)


def test_under_1024_tokens_nothing_is_cached():
    cache = PromptCache()
    cache.serve("m", segments(("a", 1023)))
    assert cache.serve("m", segments(("a", 1023), ("b", 5000))).cached == 0


def test_a_change_at_the_front_loses_all_that_follows():
    cache = PromptCache()
    cache.serve("m", segments(("a", 2000), ("b", 2000)))
    assert cache.serve("m", segments(("x", 2000), ("b", 2000))).cached == 0


def test_a_change_in_the_middle_keeps_what_stands_before_it():
    cache = PromptCache()
    cache.serve("m", segments(("a", 2048), ("b", 2000), ("c", 2000)))
    assert cache.serve("m", segments(("a", 2048), ("x", 10), ("c", 2000))).cached == 2048


def test_an_older_prompt_is_remembered_beside_a_newer_one():
    cache = PromptCache()
    cache.serve("m", segments(("a", 2048), ("b", 2048)))
    cache.serve("m", segments(("a", 2048), ("x", 10)))
    assert cache.serve("m", segments(("a", 2048), ("b", 2048))).cached == 4096


def test_models_share_nothing():
    cache = PromptCache()
    cache.serve("m", segments(("a", 2048)))
    assert cache.serve("n", segments(("a", 2048))).cached == 0


def test_a_prompt_is_its_tools_and_then_its_messages():
    body = a_body(system("one two"), user("three")) | {"tools": [{"type": "function"}]}
    counted = PromptCounter(words).segments(body)
    assert [segment.tokens for segment in counted] == [1, 3 + MESSAGE_OVERHEAD, 2 + MESSAGE_OVERHEAD]


def test_calls_count_with_name_and_arguments():
    counted = PromptCounter(words).segments(a_body(assistant("a", arguments='{"path": "x y"}'), result("a", "p q r")))
    assert [segment.tokens - MESSAGE_OVERHEAD for segment in counted] == [4, 4]


def test_every_changed_byte_makes_another_segment():
    counter = PromptCounter(words)
    first, second = (counter.segments(a_body(user(text)))[0] for text in ("a b", "a  b"))
    assert first.digest != second.digest


def test_a_message_is_counted_once():
    asked = []
    counter = PromptCounter(lambda text: asked.append(text) or 1)
    for _ in range(3):
        counter.segments(a_body(user("again")))
    assert len(asked) == 1
