import threading
import time

import pytest

from dedup.engines import crew as crew_module
from dedup.engines.crew import Crew, Stages


def ignore():
    pass


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_the_order_of_the_arguments(workers):
    def slow_when_even(number):
        time.sleep(0.002 * (number % 2 == 0))
        return number * 10

    with Crew(workers, ignore) as crew:
        results = list(crew.map(slow_when_even, range(20)))

    assert results == [number * 10 for number in range(20)]


def test_arguments_are_drawn_in_the_calling_thread_and_only_a_few_ahead():
    drawn = []

    def arguments():
        for number in range(100):
            drawn.append(threading.get_ident())
            yield number

    with Crew(2, ignore) as crew:
        results = crew.map(lambda number: number, arguments())
        next(results)
        ahead = len(drawn)

    assert set(drawn) == {threading.get_ident()}
    assert ahead <= 5


def test_an_error_in_a_task_comes_out_where_its_result_was_due():
    def refuse(number):
        if number == 3:
            raise ValueError("three is refused")
        return number

    with Crew(2, ignore) as crew:
        results = crew.map(refuse, range(10))

        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(ValueError, match="three is refused"):
            next(results)


def test_a_heartbeat_comes_while_a_task_takes_long_and_may_stop_the_work(monkeypatch):
    monkeypatch.setattr(crew_module, "HEARTBEAT_SECONDS", 0.01)
    done = threading.Event()
    beats = []

    def heartbeat():
        beats.append(1)
        if len(beats) == 3:
            done.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Crew(1, heartbeat) as crew:
        list(crew.map(lambda _: done.wait(5), range(50)))

    assert len(beats) == 3


def test_work_without_workers_is_refused():
    with pytest.raises(ValueError, match="one worker or more, not 0"):
        Crew(0, ignore)


def test_stages_report_what_is_done_and_keep_their_times():
    told = []
    stages = Stages(told.append)

    stages.begin("sign", total=10, unit="texts")
    stages.advance(4)
    stages.repeat()
    stages.begin("verify", total=3, unit="pairs")
    stages.end()

    assert [(p.stage, p.done, p.total, p.unit) for p in told] == [
        ("sign", 0, 10, "texts"),
        ("sign", 4, 10, "texts"),
        ("sign", 4, 10, "texts"),
        ("verify", 0, 3, "pairs"),
    ]
    assert list(stages.seconds) == ["sign", "verify"]
