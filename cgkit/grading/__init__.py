"""Grading that nobody can read, forge or stop.

    submitted bytes ──rebuild──► plan ──judge──► per question: score, message
                                    │     ▲ calls, plain data
                                    ▼     │
                              ┌─ fence 1: bubblewrap, one per lane ─────────────┐
                              │ ┌─ fence 2: namespaces, limits, one per work ─┐ │
                              │ │   the student's cells, and nothing else     │ │
                              │ └──────────────────────────────────────────────┘ │
                              └──────────────────────────────────────────────────┘

Test cells run outside, in a forked judge; answers run inside. A check holds a stand-in for the
student's function and calls it as it calls a real one. Only data cross.

How it is used::

    from cgkit.grading.lane import Lane, read_assignment
    from cgkit.grading.sandbox import find

    assignment = read_assignment("01_graphs", notebook_with_answers)
    with Lane(assignment, find()) as lane:               # find("system" | "bundled" | "none")
        result = lane.grade("ada", submitted_bytes)

The modules, in the order in which each builds on those before it:

1. `kinds` `codec` `classes` `parcels` `frames`
                                           what may cross, and how
2. `inside`                                all that runs inside: it holds nothing worth reading
3. `excerpt` `edition` `runtime`           what a student's code can import, the files it can see
4. `situation` `memory` `leftovers` `bubblewrap` `sandbox`
                                           fences, limits, and what this machine offers of them
5. `outcomes` `policy` `signatures` `proxies` `arrivals` `lent` `link`
                                           stand-ins for what a student defined, and the
                                           conversation with those who hold it
6. `names` `master` `settings` `submission` `matching` `differences` `rebuild`
                                           any bytes at all to a plan of cells
7. `result` `evidence`                     what is found, and what a teacher should look at
8. `strict` `testcell` `namespace` `judge` test cells, run and scored
9. `prepare` `lane`                        one submission in, one frozen result out
10. `endings` `lint`                       what authors of checks are warned of

What is promised
----------------
With both fences (Linux, bubblewrap, namespaces allowed):

- A student's code reads no test, no reference, no gradebook, no work of others, and no file but
  Python's own, NumPy's and graphviz's; it has no network and cannot write outside a scratch space
  that vanishes.
- It learns the arguments of calls, and nothing about what is expected.
- A forged display, a patched library, an object that is equal to everything change no mark: the
  mark is made in another process, from plain data.
- It ends: time, memory, processes, output and open files are bounded. A hang or a death costs the
  question in which it happened, and no other student anything.
- Ready-made answers (`edition.READY_MADE`, and what an author forbids) are not there: neither as
  modules nor as files. Names of modules that must stay (`functools:cache`) refuse a student's code
  and are flagged; whoever is bent on it gets around that, and the lines that do so are in view.

With fence 1 only (no namespaces inside bubblewrap), each submission gets a fresh fence 1: the same
promises, several times slower.

Unsandboxed (nothing else available, and asked for in so many words): marks are still made outside,
from plain data, and hangs still end. But the student's code runs as the teacher: it can read
and write what the teacher can. Every result says UNSANDBOXED.

What is not promised
--------------------
- That the kernel has no holes. Two fences are two chances, no proof.
- That a student wrote the code. Comparing submissions is another tool's work.
- That a check cannot be satisfied by guessing: what a check asks often and answers coarsely (right
  or wrong) can be learned from the answer by handing in many times.
- That equal seconds are equal work: limits are generous, and time is never graded.
- Memory to the byte where the system offers no group limit: then a watchdog looks a few times a
  second, and a burst between two looks gets through up to the limits of each process. On macOS
  nothing bounds memory, and everything is unsandboxed there.
"""

from __future__ import annotations
