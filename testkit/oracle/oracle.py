#!/usr/bin/env python3
"""Writes the golden vectors: what every engine must answer, worked out by a model that shares nothing with them.

The model is slow and plain on purpose: exact fractions instead of integer parts, and whole histories that are counted anew
for every question. Run it after changing what an algorithm means:

    python3 testkit/oracle/oracle.py testkit/src/main/resources/io/sluice/testkit/vectors

Rounding of rates (see Pace) is part of the model: rates are reduced, and only those that are not small fractions are
replaced by a slower one.
"""
import json
import os
import random
import sys
from fractions import Fraction
from math import ceil, floor, gcd

NEVER = "never"
CLAMP = 1_000_000
MAX_MICROS = 2**53 - 1
EPOCH = 1_790_000_000_000_000


def pace(permits, micros):
    if permits == 0:
        return Fraction(0), 1
    g = gcd(permits, micros)
    n, p = permits // g, micros // g
    if n == 1 or (n < 2**31 and p < 2**31):
        return Fraction(n, p), p
    x = Fraction(n, p)
    if x <= 1:
        n2 = ceil(x * 2**30)
        p2 = ceil(n2 / x)
    else:
        p2 = ceil(2**30 / x)
        n2 = floor(x * p2)
    assert 0 <= (x - Fraction(n2, p2)) / x < Fraction(1, 10**9)
    return Fraction(n2, p2), p2


def effective(last, now):
    if now >= last:
        return now
    return last if last - now <= CLAMP else now


class Bucket:
    """Used permits as an exact fraction, as of a moment."""

    def __init__(self):
        self.used, self.at = Fraction(0), None

    def aged(self, limit, now):
        rate, parts = pace(*limit["rate"])
        used = Fraction(ceil(self.used * parts), parts)  # a new rate may need coarser or other parts: rounded up
        if not used:
            return used, now
        then = effective(self.at, now)
        return max(Fraction(0), used - rate * max(0, then - self.at)), then

    def rebase(self, limit, now):
        """A step back that is too large to wait for is written down even by a refusal, or time would never go on."""
        used, then = self.aged(limit, now)
        if self.used and then < self.at:
            self.used, self.at = used, then

    @staticmethod
    def capacity(limit):
        return 0 if limit["rate"][0] == 0 else limit["burst"]

    def until(self, limit, used, then, permits, now):
        """First microsecond from now at which permits fit."""
        rate, _ = pace(*limit["rate"])
        over = used + permits - self.capacity(limit)
        if over <= 0:
            return 0
        return min(MAX_MICROS, then - now + min(MAX_MICROS, ceil(over / rate)))

    def grant(self, limit, d, now):
        used, then = self.aged(limit, now)
        room = max(0, floor(self.capacity(limit) - used))
        if d["permits"] <= room:
            return d["permits"]
        if d["max_wait"] and d["permits"] <= self.capacity(limit):
            if self.until(limit, used, then, d["permits"], now) <= d["max_wait"]:
                return d["permits"]
        return room if d["at_least"] <= room else 0

    def settle(self, limit, d, grant, charged, now):
        used, then = self.aged(limit, now)
        cap = self.capacity(limit)
        wait = self.until(limit, used, then, grant, now) if grant else 0
        if grant:
            retry = 0
        elif d["at_least"] > cap:
            retry = NEVER
        else:
            retry = self.until(limit, used, then, d["at_least"], now)
        after = used
        if charged:
            after = used + grant
            self.used, self.at = after, then
        if after == 0:
            reset = 0
        elif limit["rate"][0] == 0:
            reset = NEVER
        else:
            reset = self.until(limit, after, then, cap, now)
        remaining = max(0, floor(cap - after))
        return [1 if grant else 0, grant if charged else 0, remaining, retry, reset, wait, then]

    def give_back(self, limit, permits, charged_at, now):
        used, then = self.aged(limit, now)
        rate, _ = pace(*limit["rate"])
        if rate and charged_at - then <= CLAMP:
            back = permits - rate * max(0, then - charged_at)
            if back >= 0:
                used = max(Fraction(0), used - back)
        self.used, self.at = used, then


class Log:
    """Every admission that still counts."""

    def __init__(self):
        self.entries = []

    def aged(self, limit, now):
        if not self.entries:
            return [], now
        last = self.entries[-1][0]
        if last - now > CLAMP:
            return [(now, sum(p for _, p in self.entries))], now
        then = effective(last, now)
        return [(t, p) for t, p in self.entries if t + limit["window"] > then], then

    def rebase(self, limit, now):
        if self.entries and self.entries[-1][0] - now > CLAMP:
            self.entries, _ = self.aged(limit, now)

    def grant(self, limit, d, now):
        entries, _ = self.aged(limit, now)
        room = max(0, limit["limit"] - sum(p for _, p in entries))
        return d["permits"] if d["permits"] <= room else room if d["at_least"] <= room else 0

    def settle(self, limit, d, grant, charged, now):
        entries, then = self.aged(limit, now)
        retry = 0
        if not grant:
            retry = NEVER
            if d["at_least"] <= limit["limit"]:
                for t in sorted({t for t, _ in entries}):
                    free_at = t + limit["window"]
                    left = sum(p for u, p in entries if u + limit["window"] > free_at)
                    if left + d["at_least"] <= limit["limit"]:
                        retry = free_at - now
                        break
        if charged:
            entries = entries + [(then, grant)]
            self.entries = entries
        reset = entries[-1][0] + limit["window"] - now if entries else 0
        remaining = max(0, limit["limit"] - sum(p for _, p in entries))
        return [1 if grant else 0, grant if charged else 0, remaining, retry, reset, 0, then]

    def give_back(self, limit, permits, charged_at, now):
        entries, _ = self.aged(limit, now)
        kept = []
        for t, p in reversed(entries):
            back = min(permits, p) if t == charged_at else 0
            permits -= back
            if p > back:
                kept.append((t, p - back))
        self.entries = kept[::-1]


class World:
    def __init__(self, name):
        self.name, self.limits, self.counts, self.steps, self.now = name, {}, {}, [], EPOCH

    def bucket(self, label, permits, micros, burst, name=None):
        self.limits[label] = {"algorithm": "token_bucket", "name": name or label, "rate": [permits, micros], "burst": burst}
        return self

    def log(self, label, limit, window, name=None):
        self.limits[label] = {"algorithm": "sliding_log", "name": name or label, "limit": limit, "window": window}
        return self

    def count(self, label, key):
        limit = self.limits[label]
        shape = "tb" if limit["algorithm"] == "token_bucket" else limit["window"]
        kind = Bucket if shape == "tb" else Log
        return self.counts.setdefault((limit["name"], shape, key), kind())

    def ask(self, *demands, look=False, after=0):
        """A demand is (limit, key, permits[, at_least[, max_wait]])."""
        self.now += after
        ds = []
        for label, key, permits, *more in demands:
            ds.append({"limit": label, "key": key, "permits": permits,
                       "at_least": more[0] if more else permits, "max_wait": more[1] if len(more) > 1 else 0})
        counts = [self.count(d["limit"], d["key"]) for d in ds]
        grants = [c.grant(self.limits[d["limit"]], d, self.now) for c, d in zip(counts, ds)]
        allowed = all(grants)
        charged = allowed and not look
        verdicts = [c.settle(self.limits[d["limit"]], d, g, charged, self.now)
                    for c, d, g in zip(counts, ds, grants)]
        if not look and not charged:
            for c, d in zip(counts, ds):
                c.rebase(self.limits[d["limit"]], self.now)
        self.steps.append({"at": self.now, "look": look,
                           "ask": [[d["limit"], d["key"], d["permits"], d["at_least"], d["max_wait"]] for d in ds],
                           "allowed": allowed, "verdicts": verdicts})
        return self

    def give_back(self, step, after=0):
        self.now += after
        taken = self.steps[step]
        for (label, key, *_), verdict in zip(taken["ask"], taken["verdicts"]):
            if verdict[1]:
                self.count(label, key).give_back(self.limits[label], verdict[1], verdict[6], self.now)
        self.steps.append({"at": self.now, "give_back": step % len(self.steps)})
        return self


SECOND, MINUTE, HOUR, DAY = 10**6, 60 * 10**6, 3600 * 10**6, 86400 * 10**6


def written():
    """Scenarios written by hand, one truth each."""
    w = World("a bucket starts full, empties, and refills by the microsecond").bucket("b", 10, SECOND, 3)
    for after in (0, 0, 0, 0, 99_999, 1, 0, 100_000, 299_999, 1):
        w.ask(("b", "k", 1), after=after)
    yield w
    w = World("keys and names do not share a bucket").bucket("b", 1, SECOND, 1).bucket("c", 1, SECOND, 1)
    yield w.ask(("b", "k", 1)).ask(("b", "l", 1)).ask(("c", "k", 1)).ask(("b", "k", 1)).ask(("b", "", 1))
    w = World("permits are weights, and more than the burst never fits").bucket("b", 100, SECOND, 10)
    yield w.ask(("b", "k", 7)).ask(("b", "k", 4)).ask(("b", "k", 3)).ask(("b", "k", 11)).ask(("b", "k", 10), after=100_000)
    w = World("refusals charge nothing").bucket("b", 1, SECOND, 1).ask(("b", "k", 1))
    for _ in range(5):
        w.ask(("b", "k", 1), after=100_000)
    yield w.ask(("b", "k", 1), after=499_999).ask(("b", "k", 1), after=1)
    w = World("a rate of nothing and a burst of nothing refuse always").bucket("z", 0, SECOND, 5).bucket("y", 5, SECOND, 0)
    w.log("x", 0, SECOND)
    yield w.ask(("z", "k", 1)).ask(("y", "k", 1)).ask(("x", "k", 1)).ask(("z", "k", 1), after=DAY).ask(("x", "k", 1), look=True)
    w = World("one a day").bucket("b", 1, DAY, 1).ask(("b", "k", 1)).ask(("b", "k", 1), after=1)
    yield w.ask(("b", "k", 1), after=DAY - 2).ask(("b", "k", 1), after=1).ask(("b", "k", 1))
    w = World("ten million a second").bucket("b", 10_000_000, SECOND, 20)
    for after in (0, 1, 1, 0, 1, 2, 3):
        w.ask(("b", "k", 10), after=after)
    yield w
    w = World("seven a day, which is no whole number of microseconds").bucket("b", 7, DAY, 2)
    yield w.ask(("b", "k", 2)).ask(("b", "k", 1), after=DAY // 7).ask(("b", "k", 1), after=1).ask(("b", "k", 1))
    w = World("awkward primes").bucket("b", 999_983, 1_000_003, 5).bucket("c", 3_599_999_999, HOUR, 3)
    w.bucket("d", 86_399_999_999, DAY, 4)
    for after in (0, 0, 0, 0, 0, 0, 1, 1, 2, 1, 1, 3, 1):
        w.ask(("b", "k", 1), ("c", "k", 1), ("d", "k", 1), after=after)
    yield w
    w = World("large numbers").bucket("b", 1_000_000_000, SECOND, 10**12).bucket("c", 1, 1000 * DAY, 10**12)
    w.ask(("b", "k", 10**9)).ask(("c", "k", 10**9)).ask(("c", "k", 10**9, 1)).ask(("b", "k", 10**9), after=1)
    yield w.ask(("c", "k", 1), after=DAY).ask(("b", "k", 1), after=10**15).ask(("c", "k", 1))
    w = World("a raised burst adds room, a lowered one keeps what was used").bucket("b", 1, SECOND, 10)
    w.bucket("more", 1, SECOND, 20, "b").bucket("less", 1, SECOND, 5, "b")
    w.ask(("b", "k", 7)).ask(("more", "k", 13)).ask(("less", "k", 1)).ask(("more", "k", 1))
    yield w.ask(("less", "k", 1), after=15 * SECOND).ask(("less", "k", 1), after=SECOND).ask(("b", "k", 5))
    w = World("a changed rate keeps what was used, to the part").bucket("b", 3, SECOND, 3).bucket("c", 7, SECOND, 3, "b")
    w.bucket("d", 1, DAY, 3, "b").bucket("z", 0, SECOND, 3, "b")
    w.ask(("b", "k", 3)).ask(("b", "k", 1), after=400_001).ask(("c", "k", 1)).ask(("c", "k", 1), after=100_000)
    w.ask(("d", "k", 1), after=50_000).ask(("d", "k", 1), after=DAY).ask(("d", "k", 1)).ask(("z", "k", 1))
    yield w.ask(("b", "k", 1), after=333_334).ask(("c", "k", 3), look=True)
    w = World("looking charges nothing").bucket("b", 1, SECOND, 2).log("l", 2, SECOND)
    for _ in range(3):
        w.ask(("b", "k", 1), ("l", "k", 1), look=True)
    yield w.ask(("b", "k", 2), ("l", "k", 2)).ask(("b", "k", 1), ("l", "k", 1), look=True)
    w = World("a time slot is reserved within the wait, and not beyond").bucket("b", 10, SECOND, 2)
    w.ask(("b", "k", 2)).ask(("b", "k", 1, 1, 100_000)).ask(("b", "k", 1, 1, 100_000)).ask(("b", "k", 1, 1, 200_000))
    yield w.ask(("b", "k", 1)).ask(("b", "k", 1), after=200_000).ask(("b", "k", 3, 3, SECOND)).ask(("b", "k", 2, 2, SECOND))
    w = World("a partial grant takes what is there, if it is enough").bucket("b", 10, SECOND, 10).log("l", 10, SECOND)
    w.ask(("b", "k", 6), ("l", "k", 6)).ask(("b", "k", 8, 5)).ask(("b", "k", 8, 3)).ask(("l", "k", 8, 5)).ask(("l", "k", 8, 4))
    yield w.ask(("b", "k", 5, 1), ("l", "k", 5, 1), after=200_000).ask(("b", "k", 50, 1), ("l", "k", 50, 1), after=SECOND)
    w = World("all or nothing: a refusal anywhere charges nothing anywhere")
    w.bucket("global", 100, SECOND, 100).bucket("service", 50, SECOND, 50).log("ip", 2, MINUTE).log("user", 1, MINUTE)
    four = (("global", "", 1), ("service", "s", 1), ("ip", "1.2.3.4", 1), ("user", "u", 1))
    w.ask(*four).ask(*four).ask(("global", "", 1), look=True).ask(("ip", "1.2.3.4", 1), look=True)
    yield w.ask(*four, after=MINUTE - 1).ask(*four, after=1).ask(("global", "", 99)).ask(*four[:3], ("user", "v", 1))
    w = World("a log holds its limit in every window, to the microsecond").log("l", 3, SECOND)
    for after in (0, 1, 400_000, 0, 599_998, 1, 1, 0, 399_999, 1, 10**7):
        w.ask(("l", "k", 1), after=after)
    yield w
    w = World("several admissions in one microsecond count each").log("l", 5, MINUTE)
    for _ in range(7):
        w.ask(("l", "k", 1))
    yield w.ask(("l", "k", 1), after=MINUTE - 1).ask(("l", "k", 5), after=1).ask(("l", "k", 1))
    w = World("a log weighs its entries").log("l", 10, SECOND)
    w.ask(("l", "k", 4)).ask(("l", "k", 3), after=100_000).ask(("l", "k", 3), after=100_000).ask(("l", "k", 5))
    yield w.ask(("l", "k", 8)).ask(("l", "k", 10)).ask(("l", "k", 11)).ask(("l", "k", 5), after=900_000).ask(("l", "k", 1))
    w = World("a changed log limit keeps what was used").log("l", 3, MINUTE).log("more", 5, MINUTE, "l").log("less", 2, MINUTE, "l")
    w.log("other", 3, HOUR, "l")
    w.ask(("l", "k", 3)).ask(("more", "k", 1), after=1).ask(("less", "k", 1), after=1).ask(("other", "k", 1))
    yield w.ask(("less", "k", 1), after=MINUTE - 2).ask(("less", "k", 1), after=1).ask(("l", "k", 1))
    w = World("given back at once, as if it had not been").bucket("b", 1, SECOND, 5).log("l", 5, MINUTE)
    w.ask(("b", "k", 3), ("l", "k", 3)).give_back(0).ask(("b", "k", 5), ("l", "k", 5)).give_back(2).ask(("b", "k", 5), look=True)
    yield w.ask(("l", "k", 5), look=True)
    w = World("given back late, less what came back by itself").bucket("b", 1, SECOND, 5)
    w.ask(("b", "k", 4)).ask(("b", "k", 1)).give_back(0, after=1_500_000).ask(("b", "k", 5)).ask(("b", "k", 4), after=500_000)
    yield w.give_back(1, after=20 * SECOND).ask(("b", "k", 6)).ask(("b", "k", 5)).give_back(0).ask(("b", "k", 1))
    w = World("given back to a log only while it counts").log("l", 3, SECOND)
    w.ask(("l", "k", 1)).ask(("l", "k", 2), after=10).give_back(0, after=5).ask(("l", "k", 1)).ask(("l", "k", 1))
    w.give_back(1).ask(("l", "k", 2), after=1).give_back(0, after=2 * SECOND).ask(("l", "k", 3)).ask(("l", "k", 1))
    yield w.give_back(1).ask(("l", "k", 1))
    w = World("time that steps back a little stands still").bucket("b", 10, SECOND, 3).log("l", 3, SECOND)
    both = (("b", "k", 1), ("l", "k", 1))
    for after in (0, 0, -500_000, 0, 0, 499_999, 1, 99_999, 1, 900_000, -1_000_000, 1):
        w.ask(*both, after=after)
    yield w
    w = World("time that steps back far goes on from there").bucket("b", 10, SECOND, 3).log("l", 3, SECOND)
    for after in (0, 0, -60_000_000, 0, 0, 99_999, 1, 900_000, 0, 0, -1_000_001, 100_000, 900_000, 3_600_000_000, 0):
        w.ask(*both, after=after)
    yield w
    w = World("to and fro gains nothing").bucket("b", 1, SECOND, 2).log("l", 2, SECOND).ask(("b", "k", 2), ("l", "k", 2))
    for _ in range(6):
        w.ask(*both, after=-400_000).ask(*both, after=400_000)
    yield w
    w = World("given back after time stepped back").bucket("b", 1, SECOND, 5).log("l", 5, MINUTE)
    w.ask(("b", "k", 5), ("l", "k", 5)).give_back(0, after=-500_000).ask(("b", "k", 1), ("l", "k", 1))
    yield w.ask(("b", "k", 4), ("l", "k", 4)).give_back(3, after=-90 * SECOND).ask(("b", "k", 1)).ask(("l", "k", 1))


def random_world(seed):
    rnd = random.Random(seed)
    w = World(f"random {seed}")
    labels = []
    for name in "abcd"[: rnd.randint(1, 4)]:
        for version in range(rnd.choice((1, 1, 2, 3))):
            label = f"{name}{version}"
            if name in "ab":
                span = rnd.choice((1, 1000, SECOND, SECOND, MINUTE, HOUR, DAY, rnd.randint(1, 10**9)))
                permits = min(rnd.choice((1, 3, 7, 10, 100, 999, rnd.randint(1, 10**9))), span * 1000)
                w.bucket(label, permits, span, rnd.choice((1, 2, 5, 10, 1000, rnd.randint(1, 10**6))), name)
            else:
                window = {"c": SECOND, "d": 77_777}[name]
                w.log(label, rnd.choice((1, 2, 3, 5, 10, 40)), window, name)
            labels.append(label)
    given = set()
    for i in range(60):
        after = rnd.choice((0, 0, 1, rnd.randint(0, 1000), rnd.randint(0, 10**5), rnd.randint(0, 10**6), rnd.randint(0, 10**7)))
        if rnd.random() < 0.04:
            after = -rnd.choice((1, 1000, 999_999, 1_000_000, 1_000_001, 5_000_000))
        steps = [s for s, step in enumerate(w.steps) if "ask" in step and any(v[1] for v in step["verdicts"]) and s not in given]
        if steps and rnd.random() < 0.1:
            step = rnd.choice(steps[-6:])
            given.add(step)
            w.give_back(step, after=after)
            continue
        seen, demands = set(), []
        for label in rnd.sample(labels, rnd.randint(1, min(4, len(labels)))):
            key = rnd.choice("kkkl")
            name = w.limits[label]["name"]
            if (name, key) in seen:
                continue
            seen.add((name, key))
            cap = w.limits[label].get("burst", w.limits[label].get("limit"))
            permits = rnd.choice((1, 1, 1, 2, max(1, cap // 3), max(1, cap), cap + 1))
            at_least = rnd.choice((permits, permits, permits, 1, max(1, permits // 2)))
            demands.append((label, key, permits, at_least, rnd.choice((0, 0, 0, 1000, SECOND))))
        w.ask(*demands, look=rnd.random() < 0.1, after=after)
    return w


def write(folder, file, worlds):
    with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
        out.write("[\n")
        for i, w in enumerate(worlds):
            out.write(("" if i == 0 else ",\n") + '{"name": ' + json.dumps(w.name) + ',\n "limits": {\n')
            out.write(",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in w.limits.items()))
            out.write('},\n "steps": [\n')
            out.write(",\n".join("  " + json.dumps(s, separators=(",", ":")) for s in w.steps))
            out.write("]}")
        out.write("\n]\n")


if __name__ == "__main__":
    write(sys.argv[1], "written.json", list(written()))
    write(sys.argv[1], "random.json", [random_world(seed) for seed in range(1, 41)])
