"""Let a Python believe that it does not run on Linux: what only Linux has is gone, or fails.

    python elsewhere.py FILE ARGUMENTS...      runs a file so

It cannot show how another system behaves; it shows that nothing is asked of it that it lacks.
"""

import builtins
import ctypes
import os
import resource
import runpy
import select
import socket
import sys
import sysconfig

GONE = {
    os: (
        "sched_getaffinity", "sched_setaffinity", "memfd_create", "setresuid", "setresgid",
        "getresuid", "getresgid", "pidfd_open", "unshare", "setns", "copy_file_range", "splice",
        "eventfd", "posix_fadvise", "posix_fallocate", "getrandom", "listxattr", "getxattr",
        "setxattr", "O_PATH", "O_TMPFILE", "waitid",
    ),
    socket: (
        "SOCK_SEQPACKET", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "AF_NETLINK", "AF_VSOCK", "AF_PACKET",
        "AF_ALG", "SO_PEERCRED", "SCM_CREDENTIALS", "MSG_CMSG_CLOEXEC", "MSG_NOSIGNAL",
    ),
    resource: ("RLIMIT_MSGQUEUE", "RLIMIT_NICE", "RLIMIT_RTPRIO", "RLIMIT_SIGPENDING", "prlimit"),
    select: ("epoll",),
}  # fmt: skip
CALLS = ("prctl", "unshare", "mount", "capset", "syscall", "dl_iterate_phdr", "memfd_create")
PLACES = ("/proc", "/sys")


def forget():
    """Take away what only Linux has; cannot be undone."""
    sysconfig.get_config_vars()  # read once, from a file that is named after the system
    sys.platform = "darwin"
    for module, names in GONE.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    resource.setrlimit = refusing(resource.setrlimit)
    ctypes.CDLL = type("CDLL", (ctypes.CDLL,), {"__getattr__": missing(ctypes.CDLL.__getattr__)})
    for module, name in ((os, "stat"), (os, "listdir"), (os, "scandir"), (builtins, "open")):
        setattr(module, name, without_places(getattr(module, name)))
    socket.socketpair = streams_only(socket.socketpair)


def refusing(setrlimit):
    def set_one(number, limits):
        if number in (resource.RLIMIT_AS, resource.RLIMIT_STACK):
            raise ValueError("current limit exceeds maximum limit")
        setrlimit(number, limits)

    return set_one


def missing(getattribute):
    def get(library, name):
        if name in CALLS:
            raise AttributeError(name)
        return getattribute(library, name)

    return get


def without_places(function):
    def call(path=".", *words, **more):
        text = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
        if text.startswith(PLACES):
            raise FileNotFoundError(2, "No such file or directory", text)
        return function(path, *words, **more)

    return call


def streams_only(socketpair):
    def pair(family=socket.AF_UNIX, kind=socket.SOCK_STREAM, protocol=0):
        if kind not in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            raise OSError(43, "Protocol not supported")
        return socketpair(family, kind, protocol)

    return pair


if __name__ == "__main__":
    forget()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(sys.argv[0])  # noqa: PTH120 (pathlib is not loaded yet)
    runpy.run_path(sys.argv[0], run_name="__main__")
