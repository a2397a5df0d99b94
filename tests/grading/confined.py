"""Start a program on a machine that offers less: python confined.py LESS PROGRAM ARGUMENTS...

    none      no namespaces at all, as where a container or a policy of the kernel forbids them
    nested    namespaces for bubblewrap only, none inside (as root; others need two as it is)
    covered   parts of /proc are covered, as in containers, and root is alone

It is a program of its own, so that what is given up is given up by that program only.
"""

import ctypes
import os
import struct
import sys
from pathlib import Path

ALLOW, REFUSE, NO_SUCH_CALL = 0x7FFF0000, 0x00050001, 0x00050026
NAMESPACES, CLONE3 = 0x7E020000, 435
NUMBERS = {"x86_64": (272, 308, 165, 56), "aarch64": (97, 268, 40, 220)}
USER_AND_MOUNTS, BIND = 0x10020000, 0x1000
COVERED = ("/proc/timer_list", "/proc/keys", "/proc/fb", "/proc/modules")

libc = ctypes.CDLL(None, use_errno=True)


def done(result, what):
    if result:
        sys.exit(f"confined: {what}: {os.strerror(ctypes.get_errno())}")


def refused(number, answer=REFUSE):
    return [(0x15, 0, 1, number), (0x06, 0, 0, answer)]


def without_calls(less):
    unshare, setns, mount, clone = NUMBERS[os.uname().machine]
    steps = [(0x20, 0, 0, 0), *refused(unshare)]
    if less == "none":
        steps += refused(setns) + refused(mount) + refused(CLONE3, NO_SUCH_CALL)
        steps += [(0x15, 0, 3, clone), (0x20, 0, 0, 16), (0x45, 0, 1, NAMESPACES)]
        steps += [(0x06, 0, 0, REFUSE)]
    steps += [(0x06, 0, 0, ALLOW)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(buffer))
    done(libc.prctl(38, 1, 0, 0, 0), "rights")
    done(libc.prctl(22, 2, ctypes.c_char_p(header), 0, 0), "filter")


def covered():
    user, group = os.getuid(), os.getgid()
    done(libc.unshare(USER_AND_MOUNTS), "namespaces")
    here = Path("/proc/self")
    (here / "setgroups").write_text("deny")
    (here / "uid_map").write_text(f"0 {user} 1")
    (here / "gid_map").write_text(f"0 {group} 1")
    for place in filter(os.path.exists, COVERED):
        words = (b"/dev/null", place.encode(), b"none", ctypes.c_ulong(BIND), b"")
        done(libc.mount(*words), place)


if __name__ == "__main__":
    if sys.argv[1] == "covered":
        covered()
    else:
        without_calls(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])
