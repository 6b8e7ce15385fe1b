"""Runs a program on a terminal of 160x48, which is drained into a file: on_screen.py FILE COMMAND…
SIGTERM is passed on. The exit code is the program's."""
import fcntl
import os
import pty
import signal
import struct
import sys
import termios

pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm-256color"
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
with open(sys.argv[1], "wb", buffering=0) as kept:
    while True:
        try:
            got = os.read(fd, 65536)
        except OSError:  # the other end is closed
            break
        if not got:
            break
        kept.write(got)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF)
