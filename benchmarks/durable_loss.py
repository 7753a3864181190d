#!/usr/bin/env python3
"""Measures what durable quotas lose when Redis is killed and its directory deleted under load, together with a node.

    ./sluice version && benchmarks/durable_loss.py [--lose-node-disk]

Starts a Redis, a center and two nodes on ports from 17379 on, in a directory of its own. Eight callers ask both nodes. After some
seconds Redis and the second node are killed at once, and the directory of Redis is deleted; with --lose-node-disk that of the node, too.
An empty Redis and the node start again. At the end the permits that callers got are compared with those that Redis has counted.
Needs redis-server and Python 3.8.
"""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REDIS, CENTER, NODES = 17379, 17383, {1: 17391, 2: 17392}
LIMIT, TENANTS, CALLERS_OF_A_NODE = 100_000_000, 20, 4
RULES = """rules:
  - id: quota
    on_failure: closed
    deadline: 2s
    limits: [{ id: month, by: tenant, algorithm: fixed_window, limit: %d, align: month, durable: true }]
""" % LIMIT


class Fleet:
    """The processes, and the directory with their data."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        with open(os.path.join(folder, "rules.yaml"), "w", encoding="utf-8") as rules:
            rules.write(RULES)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, name, *command):
        with open(self.path(name + ".log"), "ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        self.processes.append(process)
        return process

    def redis(self):
        os.makedirs(self.path("redis"), exist_ok=True)
        return self.start("redis", "redis-server", "--port", str(REDIS), "--dir", self.path("redis"), "--appendonly", "yes")

    def center(self):
        return self.start("center", ROOT + "/sluice", "center", "--data", self.path("center"), "--center-port", str(CENTER))

    def node(self, number):
        return self.start(
            "node%d" % number, ROOT + "/sluice", "node", "--rules", self.path("rules.yaml"),
            "--redis", "redis://127.0.0.1:%d" % REDIS, "--data", self.path("node%d" % number),
            "--center", "http://127.0.0.1:%d" % CENTER, "--center-token-file", self.path("center/admin-token"),
            "--api-port", str(NODES[number]), "--grpc-port", "0")

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            process.wait(30)


def await_health(port):
    for _ in range(1200):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit("nothing answers on port %d" % port)


def check(connection, tenant, permits):
    body = {"attributes": {"tenant": "t%d" % tenant}, "permits": permits}
    connection.request("POST", "/v1/check", json.dumps(body))
    return json.loads(connection.getresponse().read())


class Callers:
    """Threads that ask both nodes until they are stopped."""

    def __init__(self):
        self.running = True
        self.lock = threading.Lock()
        self.grants = []
        self.degraded = {}
        self.slowest = 0.0
        self.threads = [
            threading.Thread(target=self.call, args=(node, i)) for node in NODES for i in range(CALLERS_OF_A_NODE)]
        for thread in self.threads:
            thread.start()

    def call(self, node, tenant):
        connection = None
        while self.running:
            tenant = (tenant + 1) % TENANTS
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", NODES[node], timeout=10)
                begin = time.time()
                answer = check(connection, tenant, 1)
                end = time.time()
            except (OSError, http.client.HTTPException, ValueError):
                connection = None
                time.sleep(0.05)
                continue
            with self.lock:
                self.slowest = max(self.slowest, end - begin)
                if answer.get("degraded"):
                    self.degraded[answer["degraded"]] = self.degraded.get(answer["degraded"], 0) + 1
                elif answer["allowed"]:
                    self.grants.append((end, node))

    def stop(self):
        self.running = False
        for thread in self.threads:
            thread.join()


def used():
    """Returns the permits that Redis has counted, as a node sees them."""
    connection = http.client.HTTPConnection("127.0.0.1", NODES[1])
    total = 0
    for tenant in range(TENANTS):
        answer = check(connection, tenant, 0)
        while answer.get("degraded"):
            time.sleep(0.2)
            answer = check(connection, tenant, 0)
        total += LIMIT - int(re.search(r'"remaining": ?(\d+)', json.dumps(answer)).group(1))
    return total


def measure(fleet, lose_node_disk):
    redis = fleet.redis()
    fleet.center()
    await_health(CENTER)
    fleet.node(1)
    second = fleet.node(2)
    for port in NODES.values():
        await_health(port)
    callers = Callers()
    time.sleep(6)
    lost = time.time()
    redis.kill()
    second.kill()
    shutil.rmtree(fleet.path("redis"))
    if lose_node_disk:
        shutil.rmtree(fleet.path("node2"))
    redis.wait()
    second.wait()
    time.sleep(1)
    back = time.time()
    fleet.redis()
    time.sleep(4)
    fleet.node(2)
    await_health(NODES[2])
    time.sleep(3)
    callers.stop()
    time.sleep(2)
    counted = used()
    rate = sum(1 for at, node in callers.grants if node == 2 and lost - 2 < at < lost) / 2
    first = min(at for at, node in callers.grants if node == 1 and at > back) - back
    print("granted %d, counted %d, missing %d" % (len(callers.grants), counted, len(callers.grants) - counted))
    print("rate of the second node %.0f/s, first grant after the start of the new Redis %.1f s" % (rate, first))
    print("slowest decision %.0f ms, decisions by on_failure: %s" % (callers.slowest * 1000, callers.degraded))


if __name__ == "__main__":
    FLEET = Fleet(tempfile.mkdtemp(prefix="durable-loss-"))
    try:
        measure(FLEET, "--lose-node-disk" in sys.argv[1:])
    finally:
        FLEET.end()
        shutil.rmtree(FLEET.folder)
