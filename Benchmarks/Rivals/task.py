"""What the clients in Python have in common: the words of the task and the closed loop."""

import asyncio
import json
import resource
import sys
import time


def words():
    task = {"at-once": "1", "seconds": "1", "warm-up": "0.1"}
    task.update(word.split("=", 1) for word in sys.argv[2:])
    return task


def peak_mib():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def keep_going(get, at_once, seconds):
    """Each of `at_once` places makes one request after the other; latencies and failures."""
    latencies, failures = [], 0
    until = time.monotonic() + seconds

    async def place():
        nonlocal failures
        while True:
            begin = time.monotonic()
            if not await get():
                failures += 1
            now = time.monotonic()
            latencies.append(now - begin)
            if now >= until:
                return

    await asyncio.gather(*(place() for _ in range(at_once)))
    return latencies, failures


async def measure(get, task):
    at_once = int(task["at-once"])
    await keep_going(get, at_once, float(task["warm-up"]))
    cpu, begin = time.process_time(), time.monotonic()
    latencies, failures = await keep_going(get, at_once, float(task["seconds"]))
    seconds, cpu = time.monotonic() - begin, time.process_time() - cpu
    latencies.sort()
    print(json.dumps({
        "requests": len(latencies), "failures": failures, "seconds": seconds, "cpu": cpu,
        "bytes": 0, "peakMiB": peak_mib(), "medianLatency": latencies[len(latencies) // 2],
        "latency99": latencies[len(latencies) * 99 // 100]}))
