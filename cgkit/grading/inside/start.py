"""The first file that runs inside: finds the others and hands over.

    python -P -s -B -S -X utf8 start.py FD CONFIGURATION

Nothing of site-packages is on the path but what `paths` of the configuration names.
"""

import json
import sys


def begin() -> None:
    """Put the folders on the path and start the zygote."""
    configuration = json.loads(sys.argv[2])
    sys.path[:0] = [configuration["guest"], *configuration["paths"]]
    from cgkit.grading.inside.zygote import main

    main(sys.argv[1:])


if __name__ == "__main__":
    begin()
