"""A filter of system calls: what no exercise needs, and what has broken out of sandboxes.

    load() ──► from here on, ptrace, mount, memfd_create, bpf, io_uring ... fail with EPERM

Some calls are refused by what is asked of them: new namespaces, sockets that reach the host past
the fence (netlink, vsock), pipes and sockets that hold megabytes for which no limit is counted.

Invariants: the filter is loaded after no_new_privs is set; entries of other architectures are
refused; where the numbers are not known nothing is loaded and `known` says so.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import TypeAlias

Step: TypeAlias = tuple[int, int, int, int]

_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_REFUSE = _ERROR | 1
_NO_SUCH_CALL, _NO_SUCH_FAMILY = _ERROR | 38, _ERROR | 97
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_X32 = 0x40000000
_PR_SET_SECCOMP, _FILTER = 22, 2

# in the order: ptrace mount umount2 swapon swapoff reboot init_module delete_module finit_module
# unshare setns bpf perf_event_open memfd_create userfaultfd add_key request_key keyctl
# process_vm_readv process_vm_writev name_to_handle_at open_by_handle_at mq_open shmget msgget
# semget kexec_load pivot_root chroot acct quotactl syslog setsockopt io_setup inotify_init1
# fanotify_init kcmp, and on x86_64 inotify_init
_OLD = {
    "x86_64": (101, 165, 166, 167, 168, 169, 175, 176, 313, 272, 308, 321, 298, 319, 323, 248, 249,
               250, 310, 311, 303, 304, 240, 29, 68, 64, 246, 155, 161, 163, 179, 103, 54, 206,
               294, 300, 312, 253),
    "aarch64": (117, 40, 39, 224, 225, 142, 105, 106, 273, 97, 268, 280, 241, 279, 282, 217, 218,
                219, 270, 271, 264, 265, 180, 194, 186, 190, 104, 41, 51, 89, 60, 116, 208, 0,
                26, 262, 272),
}  # fmt: skip
# one numbering for all: io_uring (3), open_tree move_mount fsopen fsconfig fsmount fspick,
# pidfd_getfd, mount_setattr, memfd_secret
_NEW = (425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 447)
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# in the order: clone socket fcntl; clone3 has one number everywhere
_ASKED = {"x86_64": (56, 41, 72), "aarch64": (220, 198, 25)}
_CLONE3 = 435
_NAMESPACES = 0x7E020000
_FAMILIES = (1, 2, 10)  # unix, and the two that need a network, which is not there
_SET_PIPE_SIZE = 1031


def known(machine: str) -> bool:
    """Tell whether there is a filter for a machine, as `os.uname` names it.

    Examples
    --------
    >>> known("x86_64"), known("aarch64"), known("sparc")
    (True, True, False)
    """
    return machine in _OLD


def program(machine: str) -> bytes:
    """Give the filter for a machine, as instructions of eight bytes.

    Examples
    --------
    >>> len(program("x86_64")) % 8
    0
    """
    denied = (*_OLD[machine], *_NEW)
    count = len(denied)
    steps: list[Step] = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, _ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
        *_by_argument(*_ASKED[machine]),
    ]
    steps += [(_EQUAL, count - place, 0, number) for place, number in enumerate(denied)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _by_argument(clone: int, socket: int, fcntl: int) -> list[Step]:
    """Give the part that looks at what is asked; each call has a part of its own, to its end."""
    unix, old, new = _FAMILIES
    parts: dict[int, list[Step]] = {
        # what it asks for lies in memory, where a filter cannot look; libraries then use `clone`
        _CLONE3: [(_RETURN, 0, 0, _NO_SUCH_CALL)],
        clone: [
            _argument(0),
            (_ANY_BIT, 0, 1, _NAMESPACES),
            (_RETURN, 0, 0, _REFUSE),
            (_RETURN, 0, 0, _ALLOW),
        ],
        socket: [
            _argument(0),
            (_EQUAL, 2, 0, unix),
            (_EQUAL, 1, 0, old),
            (_EQUAL, 0, 1, new),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _NO_SUCH_FAMILY),
        ],
        fcntl: [
            _argument(1),
            (_EQUAL, 0, 1, _SET_PIPE_SIZE),
            (_RETURN, 0, 0, _REFUSE),
            (_RETURN, 0, 0, _ALLOW),
        ],
    }
    return [
        step for number, part in parts.items() for step in [(_EQUAL, 0, len(part), number), *part]
    ]


def _argument(place: int) -> Step:
    """Load the lower half of an argument; kernels read no more of these."""
    return (_LOAD, 0, 0, 16 + 8 * place)


def load(libc: ctypes.CDLL) -> bool:
    """Load the filter of this machine into this process for good; tell whether there is one.

    Raises
    ------
    OSError
        The kernel does not take it.
    """
    machine = os.uname().machine
    if not known(machine):
        return False
    code = program(machine)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    if libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(header), 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel took no filter of system calls")
    return True
