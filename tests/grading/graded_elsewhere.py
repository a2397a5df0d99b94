"""Grade some submissions without any fence, and print how they came out; for test_elsewhere.py."""

import json
import sys
from pathlib import Path

import classwork

from cgkit.grading.judge import Times
from cgkit.grading.lane import Lane, read_assignment
from cgkit.grading.sandbox import Limits, Sandbox, find

ELSEWHERE = str(Path(__file__).resolve().with_name("elsewhere.py"))
MEAN = "def mean(values):\n    return sum(values) / len(values)\n"
ANSWERS = {
    "ada": MEAN,
    "bob": "while True: pass",
    "cleo": "import os\nos._exit(3)",
    "dan": "import os\nif os.fork() == 0:\n    while True: pass\n" + MEAN,
    "eve": "def mean(values) return 1",
}
real = Sandbox._command


def elsewhere(sandbox, file):
    """Start the warm Python in the same belief."""
    words = real(sandbox, file)
    place = next(number for number, word in enumerate(words) if word.endswith("start.py"))
    return [*words[:place], ELSEWHERE, *words[place:]]


def main():
    Sandbox._command = elsewhere
    situation = find("none")
    made = classwork.notebook(classwork.assignment_cells())
    times = Times(cell=1.5, own=1.0, total=20)
    assignment = read_assignment("small", made, times=times, limits=Limits(memory=600 << 20))
    found = {"told": situation.told}
    with Lane(assignment, situation) as lane:
        for student, answer in ANSWERS.items():
            raw = json.dumps(classwork.written({"mean": answer})).encode()
            result = lane.grade(student, raw)
            found[student] = [sum(cell.score or 0 for cell in result.cells), result.label]
            found[student] += [result.failed] if result.failed else []
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
