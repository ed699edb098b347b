import re
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import keras_absa as ka
from keras_absa.data import AspectExample, neighbourhoods
from tests.models.tiny import ROWS, tiny_model, tiny_task

TEXTS = ["the soup was cold", "great staff and slow service but not very", "price", "the the the the bill was good"]


def numbers(answers):
    return np.array([[*answer.probabilities.values()] for row in answers for answer in row])


def questions(answers):
    return [[(answer.target, answer.aspect) for answer in row] for row in answers]


@pytest.mark.parametrize("kind", ["qacg", "pair_nli_b"])
def test_answers_as_the_model_does(kind):
    model = tiny_model(kind)
    predictor = ka.Predictor(model, batch_size=3)
    np.testing.assert_allclose(numbers(predictor(TEXTS)), numbers(model.predict_aspects(TEXTS)), atol=1e-5)
    assert predictor([]) == []


def test_a_different_list_of_aspects_for_each_text_in_the_order_asked():
    predictor = ka.Predictor(tiny_model("qacg"))
    asked = [["service", "food", "service"], ["food"], [], ["service"]]
    answers = predictor(TEXTS, aspects=asked)
    assert questions(answers) == [[(None, aspect) for aspect in row] for row in asked]
    assert answers[0][0] == answers[0][2]
    assert questions(predictor(TEXTS[:2], aspects=["service"])) == [[(None, "service")]] * 2


def test_multi_word_aspects_and_several_targets():
    task = tiny_task().to_dict() | {"aspects": ("food", "place of the staff"), "aspect_words": ()}
    task = type(tiny_task()).from_dict(task)
    answers = ka.Predictor(tiny_model("qacg", task=task))(["the soup"], aspects=["place of the staff"])
    assert questions(answers) == [[(None, "place of the staff")]]

    predictor = ka.Predictor(tiny_model("pair_nli_m", task=neighbourhoods(), positions=64, max_length=64))
    answers = predictor(
        ["soho beats camden", "LOCATION1 and LOCATION2", "the old town"],
        targets=[["camden", "soho"], None, "old town"],
        aspects=["price", "safety"],
    )
    assert questions(answers) == [
        [(target, aspect) for target in targets for aspect in ("price", "safety")]
        for targets in (["camden", "soho"], ["LOCATION1", "LOCATION2"], ["old town"])
    ]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"aspects": "food"}, "`aspects` must be a list of strings: received one string"),
        ({"aspects": [["food"]] * 3}, "`aspects` must have one list a text: received 3 for 4 texts"),
        ({"aspects": [["food"], "food", ["food"], ["food"]]}, "received 'food' at 1. Put it into a list"),
        ({"aspects": ["bill"]}, "`aspect` must be one of"),
        ({"targets": "soho"}, "has no targets"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        ka.Predictor(tiny_model("qacg"))(TEXTS, **arguments)


@pytest.mark.parametrize(
    "arguments", [{"batch_size": 0}, {"batch_size": -1}, {"window": 1}, {"window": 4.5}, {"window": "a"}]
)
def test_sizes_that_are_none(arguments):
    with pytest.raises(ValueError, match=f"`{next(iter(arguments))}` must be a whole number of at least"):
        ka.Predictor(tiny_model("pair_single"), **arguments)


def test_none_for_all_aspects_of_one_text():
    answers = ka.Predictor(tiny_model("qacg"))(TEXTS[:2], aspects=[None, ["service"]])
    assert questions(answers) == [[(None, "food"), (None, "service")], [(None, "service")]]


def test_threads_get_the_serial_answers():
    predictor = ka.Predictor(tiny_model("qacg"), batch_size=4)
    jobs = [[f"{text} {'very ' * (number % 7)}" for text in TEXTS[: 1 + number % 4]] for number in range(50)]
    serial = [numbers(predictor(job)) for job in jobs]
    found, errors = {}, []

    def work(thread):
        try:
            found[thread] = [numbers(predictor(job)) for job in jobs]
        except Exception as error:  # noqa: BLE001  (a thread's exception would be lost)
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(found) == 4
    for answers in found.values():
        for one, other in zip(answers, serial, strict=True):
            np.testing.assert_array_equal(one, other)


def resident_kilobytes() -> int:
    return int(re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text()).group(1))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to read the memory in use")
def test_flat_memory_and_one_trace_over_2000_calls():
    predictor = ka.Predictor(tiny_model("pair_single"))

    def calls(count):
        for number in range(count):
            predictor([f"the soup {'very ' * (number % 23)}cold"] * (1 + number % 3))

    calls(200)  # every length once, allocators warm
    tracemalloc.start()
    before, resident = tracemalloc.get_traced_memory()[0], resident_kilobytes()
    calls(2000)
    python_growth = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert python_growth < 2**20
    assert resident_kilobytes() - resident < 64 * 2**10
    assert predictor._run.experimental_get_tracing_count() == 1


def test_cut_rows_are_counted():
    predictor = ka.Predictor(tiny_model("pair_nli_m", max_length=8))
    predictor(["very " * 20, "cold"], aspects=["food"])
    assert (predictor.cut_rows, predictor.cut_pieces) == (1, 16)


def test_a_bad_string_locks_nobody_out():
    """A `tf.function` that cannot convert its inputs keeps its lock: other threads would wait for good."""
    predictor = ka.Predictor(tiny_model("pair_nli_m"))
    expected = predictor.probabilities(ROWS[:1])
    with pytest.raises(ValueError, match=r"lone surrogate in '\\ud800' at 1"):
        predictor(["food", "\ud800"])
    with pytest.raises((ValueError, UnicodeError, TypeError)):
        predictor.probabilities([AspectExample("\ud800", "food")])
    found = []
    thread = threading.Thread(target=lambda: found.append(predictor.probabilities(ROWS[:1])), daemon=True)
    thread.start()
    thread.join(60)
    np.testing.assert_allclose(found, [expected], atol=1e-6)
