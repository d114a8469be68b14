"""work.py DIRECTORY: does a little of everything that has a tracepoint: sockets over loopback, files with fsync, memory, timers, signals,
tasks. Files are in DIRECTORY."""
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time


def serve(server):
    connection, _ = server.accept()
    while data := connection.recv(65536):
        connection.sendall(data)
    connection.close()


def network():
    server = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=serve, args=(server,))
    thread.start()
    client = socket.create_connection(server.getsockname())
    for size in (1, 1000, 60000):
        client.sendall(b"x" * size)
        while size:
            size -= len(client.recv(65536))
    client.close()
    thread.join()
    server.close()
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as udp:
            try:
                udp.bind((address, 0))
                udp.sendto(b"y" * 100, udp.getsockname())
                udp.recvfrom(200)
            except OSError:
                pass  # no IPv6 here
    a, b = socket.socketpair()
    a.send(b"q")
    b.recv(1)
    a.close()
    b.close()


def files(directory):
    path = os.path.join(directory, "file")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o640)
    os.write(fd, b"a" * 100000)
    os.pwrite(fd, b"b" * 4096, 200000)
    os.fsync(fd)
    os.lseek(fd, 0, 0)
    os.read(fd, 10)
    os.ftruncate(fd, 5000)
    os.fdatasync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.pread(fd, 100, 0)
    os.writev(fd, [b"1", b"22"])
    os.fchmod(fd, 0o600)
    os.close(fd)
    os.rename(path, path + "2")
    os.link(path + "2", path + "3")
    os.symlink("x", path + "4")
    os.readlink(path + "4")
    os.mkdir(path + "5")
    os.listdir(directory)
    os.rmdir(path + "5")
    for n in "234":
        os.unlink(path + n)
    os.access("/nowhere", os.R_OK)


def memory():
    m = mmap.mmap(-1, 1 << 20)
    for i in range(0, len(m), 4096):
        m[i] = 1
    m.madvise(mmap.MADV_DONTNEED)
    m[0] = 2
    m.close()


def timers():
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(0.03)
    signal.signal(signal.SIGPROF, lambda *_: None)
    signal.setitimer(signal.ITIMER_PROF, 0.01)
    end = time.process_time() + 0.03
    while time.process_time() < end:
        pass
    r, w = os.pipe()
    with select.epoll() as p:
        p.register(r)
        p.poll(0.01)
        os.write(w, b"x")
        p.poll(0.01)
    select.select([r], [], [], 0)
    os.close(r)
    os.close(w)


def signals():
    signal.signal(signal.SIGUSR1, lambda *_: None)
    for _ in range(3):
        os.kill(os.getpid(), signal.SIGUSR1)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    os.kill(os.getpid(), signal.SIGUSR2)
    signal.sigtimedwait([signal.SIGUSR2], 1)


def tasks():
    subprocess.run(["sh", "-c", "cat /etc/passwd | wc -l"], stdout=subprocess.DEVNULL, check=True)
    child = os.fork()
    if not child:
        os.nice(1)
        os.sched_setaffinity(0, os.sched_getaffinity(0))
        os.sched_yield()
        os._exit(3)
    os.waitpid(child, 0)
    sleeper = subprocess.Popen(["sleep", "9"])
    sleeper.terminate()
    sleeper.wait()
    threads = [threading.Thread(target=time.sleep, args=(0.005,)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


for part in (network, memory, timers, signals, tasks):
    part()
files(sys.argv[1])
