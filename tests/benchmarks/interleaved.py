"""Times several functions in turn, so that a machine whose speed drifts slows them all alike."""

import json
import os
import platform
import statistics
import time

from keras_absa import __version__
from keras_absa.environment import REQUIREMENTS, installed_version


def interleaved(functions: dict, *, rounds: int = 15, warm_up: int = 3) -> dict[str, list[float]]:
    """Seconds of each call, by name: round after round, every function once a round."""
    for function in functions.values():
        for _ in range(warm_up):
            function()
    seconds = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def ratios(seconds: dict[str, list[float]], base: str) -> dict:
    """Each function's seconds over those of `base` in the same round: median, least and most."""
    result = {}
    for name, times in seconds.items():
        each = [mine / other for mine, other in zip(times, seconds[base], strict=True)]
        result[name] = {"median": statistics.median(each), "least": min(each), "most": max(each)}
    return result


def report(title: str, seconds: dict, base: str, path=None) -> None:
    """Prints a table and writes the same as JSON."""
    found = {
        "title": title,
        "base": base,
        "machine": {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()},
        "versions": {"keras_absa": __version__, **{name: installed_version(name) for name in REQUIREMENTS}},
        "seconds": {name: statistics.median(times) for name, times in seconds.items()},
        "ratios": ratios(seconds, base),
    }
    print(f"{title}; {found['machine']['cores']} cores, tensorflow {found['versions']['tensorflow']}")
    for name, ratio in found["ratios"].items():
        print(
            f"{name:34} {found['seconds'][name]:8.3f} s   {ratio['median']:.2f} of {base!r} "
            f"({ratio['least']:.2f} to {ratio['most']:.2f})"
        )
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(found, indent=1) + "\n")
