# Two functions of equal code that share the CPU time 70 to 30; prints the share that the first has had by the process's own clock.
import sys
import time


def work_seven(n):
    s = 0
    for i in range(n):
        s = (s * 31 + i) & 0xFFFF
    return s


def work_three(n):
    s = 0
    for i in range(n):
        s = (s * 31 + i) & 0xFFFF
    return s


cpu = [0, 0]
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    for k, (work, n) in enumerate(((work_seven, 140000), (work_three, 60000))):
        before = time.process_time()
        work(n)
        cpu[k] += time.process_time() - before
print(cpu[0] / sum(cpu))
