#!/usr/bin/env python3
"""Writes the golden vectors: the answers that every engine must give, computed by a model that shares no code with them.

The model is slow and simple on purpose: it uses exact fractions instead of integer parts, and counts whole histories anew
for every request. Run it after changing the definition of an algorithm:

    python3 testkit/oracle/oracle.py testkit/src/main/resources/io/sluice/testkit/engine/vectors

Rounding of rates (see Pace) is part of the model: rates are reduced, and only a rate that is not a small fraction is
replaced by a slower one.
"""
import json
import os
import random
import sys
from fractions import Fraction
from datetime import datetime, timedelta, timezone
from math import ceil, floor, gcd
from zoneinfo import ZoneInfo

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


def fit(d, room):
    """What a demand gets of the room, less what it keeps for others."""
    free = room - d["keep"]
    return d["permits"] if d["permits"] <= free else free if d["at_least"] <= free else 0


def needed(d):
    return d["at_least"] + d["keep"]


def effective(last, now):
    if now >= last:
        return now
    return last if last - now <= CLAMP else now


class Bucket:
    """Used permits as an exact fraction at a moment, the rate at which they drain, and since when they have that rate."""

    def __init__(self):
        self.used, self.at, self.pace, self.since = Fraction(0), None, None, None

    def next_pace(self, limit):
        """At a rate of zero nothing drains and nothing is admitted, so the count keeps the rate that it has."""
        return pace(*limit["rate"]) if limit["rate"][0] or not self.used else self.pace

    def aged(self, limit, now):
        """Time until now counts at the stored rate; a new rate starts now."""
        if not self.used:
            return self.used, now
        then = effective(self.at, now)
        used = max(Fraction(0), self.used - self.pace[0] * max(0, then - self.at))
        _, parts = self.next_pace(limit)
        return Fraction(ceil(used * parts), parts), then  # a new rate may need coarser or other parts, so round up

    def keep(self, limit, used, then, now):
        following = self.next_pace(limit)
        if not self.used:
            self.since = now
        else:
            if then < self.at:
                self.since = max(self.since, self.at + 1)
            if following != self.pace:
                self.since = max(self.since, then)
        self.used, self.at, self.pace = used, then, following

    def rebase(self, limit, now):
        """Even a refusal stores a step back that is too large to wait for, or time would stand still. It also stores a new rate, or
        the old one would last for as long as every request is refused. A count that has drained has nothing to store."""
        used, then = self.aged(limit, now)
        if self.used and (then < self.at or used and self.next_pace(limit) != self.pace):
            self.keep(limit, used, then, now)

    @staticmethod
    def capacity(limit):
        return 0 if limit["rate"][0] == 0 else limit["burst"]

    def until(self, limit, used, then, permits, now):
        """Microseconds from now until the permits fit."""
        rate, _ = pace(*limit["rate"])
        over = used + permits - self.capacity(limit)
        if over <= 0:
            return 0
        return min(MAX_MICROS, then - now + min(MAX_MICROS, ceil(over / rate)))

    def grant(self, limit, d, now):
        used, then = self.aged(limit, now)
        room = max(0, floor(self.capacity(limit) - used))
        if d["permits"] + d["keep"] <= room:
            return d["permits"]
        if d["max_wait"] and not d["keep"] and d["permits"] <= self.capacity(limit):
            if self.until(limit, used, then, d["permits"], now) <= d["max_wait"]:
                return d["permits"]
        return fit(d, room)

    def settle(self, limit, d, grant, charged, now):
        used, then = self.aged(limit, now)
        cap = self.capacity(limit)
        wait = self.until(limit, used, then, grant, now) if grant else 0
        if grant:
            retry = 0
        elif needed(d) > cap:
            retry = NEVER
        else:
            retry = self.until(limit, used, then, needed(d), now)
            if d["max_wait"] and not d["keep"] and d["permits"] <= cap:
                # A slot for all permits may come within reach before the smallest useful grant is available.
                retry = min(retry, self.until(limit, used, then, d["permits"], now) - d["max_wait"])
        after = used
        if charged:
            after = used + grant
            self.keep(limit, after, then, now)
        if after == 0:
            reset = 0
        elif limit["rate"][0] == 0:
            reset = NEVER
        else:
            reset = self.until(limit, after, then, cap, now)
        remaining = max(0, floor(cap - after))
        return [1 if grant else 0, grant if charged else 0, remaining, retry, reset, wait, then]

    def give_back(self, limit, permits, charged_at, now):
        """Returns the charge less what has drained since; nothing if that amount is unknown."""
        if self.used and self.since <= charged_at <= self.at + CLAMP:
            back = permits - self.pace[0] * max(0, max(self.at, now) - charged_at)
            self.used = max(Fraction(0), self.used - max(0, back))

    def adjust(self, limit, more, charged_at, now, actual):
        """Ages at the stored rate; a bucket that has drained goes on at the rate of the limit. Returns what was charged."""
        if self.used:
            then = effective(self.at, now)
            self.used = max(Fraction(0), self.used - self.pace[0] * max(0, then - self.at))
            if then < self.at:
                self.since = max(self.since, self.at + 1)
            self.at = then
        if not self.used:
            self.used, self.at, self.pace, self.since = Fraction(0), now, pace(*limit["rate"]), now
        if not self.pace[0]:
            return 0
        if more > 0:
            self.used += more
            return more
        if not self.since <= charged_at <= self.at + CLAMP:
            return 0
        flowed = self.pace[0] * max(0, max(self.at, now) - charged_at)
        back = min(self.used, max(0, actual - more - flowed) - max(0, actual - flowed))
        self.used -= back
        return -floor(back)


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
        return fit(d, room)

    def settle(self, limit, d, grant, charged, now):
        entries, then = self.aged(limit, now)
        retry = 0
        if not grant:
            retry = NEVER
            if needed(d) <= limit["limit"]:
                for t in sorted({t for t, _ in entries}):
                    free_at = t + limit["window"]
                    left = sum(p for u, p in entries if u + limit["window"] > free_at)
                    if left + needed(d) <= limit["limit"]:
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

    def adjust(self, limit, more, charged_at, now, actual):
        """Changes the admission itself while it counts; what was used beyond it is an admission of its own afterwards."""
        if more < 0:
            before = sum(p for _, p in self.aged(limit, now)[0])
            self.give_back(limit, -more, charged_at, now)
            return sum(p for _, p in self.entries) - before
        self.entries, then = self.aged(limit, now)
        same = [i for i, (t, _) in enumerate(self.entries) if t == charged_at]
        if same:
            t, p = self.entries[same[-1]]
            self.entries[same[-1]] = (t, p + more)
        else:
            self.entries = self.entries + [(then, more)]
        return more


class Leaky(Bucket):
    """Level of a queue that drains at a rate. A request waits for everything ahead of it."""

    @staticmethod
    def capacity(limit):
        return 0 if limit["rate"][0] == 0 else limit["capacity"] + 1

    def until_level(self, limit, used, then, level, now):
        rate, _ = pace(*limit["rate"])
        return 0 if used <= level else min(MAX_MICROS, then - now + min(MAX_MICROS, ceil((used - level) / rate)))

    def room(self, limit, used, then, now):
        if not limit["rate"][0] or self.until_level(limit, used, then, 0, now) > limit["max_wait"]:
            return 0
        return max(0, floor(self.capacity(limit) - used))

    def grant(self, limit, d, now):
        used, then = self.aged(limit, now)
        room = self.room(limit, used, then, now)
        if not limit["rate"][0] or self.until_level(limit, used, then, 0, now) > min(d["max_wait"], limit["max_wait"]):
            return 0
        return fit(d, room)

    def settle(self, limit, d, grant, charged, now):
        used, then = self.aged(limit, now)
        cap = self.capacity(limit)
        retry, wait = 0, 0
        if grant:
            wait = self.until_level(limit, used, then, 0, now)
        elif needed(d) > cap:
            retry = NEVER
        else:
            drained = self.until_level(limit, used, then, 0, now)
            retry = max(self.until_level(limit, used, then, cap - needed(d), now),
                        drained - min(d["max_wait"], limit["max_wait"]))
        after = used
        if charged:
            after = used + grant
            self.keep(limit, after, then, now)
        if after == 0:
            reset = 0
        elif not limit["rate"][0]:
            reset = NEVER
        else:
            reset = self.until_level(limit, after, then, 0, now)
        return [1 if grant else 0, grant if charged else 0, self.room(limit, after, then, now), retry, reset, wait, then]


def bounds(limit, now):
    if "window" in limit:
        start = now // limit["window"] * limit["window"]
        return start, start + limit["window"]
    zone = ZoneInfo(limit["zone"])
    local = (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=now)).astimezone(zone)
    day = datetime(local.year, local.month, local.day)
    if limit["align"] == "day":
        first, after = day, day + timedelta(days=1)
    elif limit["align"] == "week":
        first = day - timedelta(days=day.weekday())
        after = first + timedelta(days=7)
    elif limit["align"] == "month":
        first = day.replace(day=1)
        after = (first + timedelta(days=32)).replace(day=1)
    else:
        first, after = day.replace(month=1, day=1), day.replace(year=day.year + 1, month=1, day=1)

    def instant(wall):
        delta = wall.replace(tzinfo=zone).astimezone(timezone.utc) - datetime(1970, 1, 1, tzinfo=timezone.utc)
        return (delta.days * 86400 + delta.seconds) * 10**6

    return instant(first), instant(after)


class Window:
    """Permits admitted in the window that began at start."""

    def __init__(self):
        self.start, self.used = None, 0

    def aged(self, limit, now):
        start, end = bounds(limit, now)
        if not self.used or self.start < start:
            return start, end, 0, now
        if self.start == start:
            return start, end, self.used, now
        if self.start - now <= CLAMP:
            return *bounds(limit, self.start), self.used, self.start
        return start, end, self.used, now

    def rebase(self, limit, now):
        start, _, used, _ = self.aged(limit, now)
        if self.used and start < self.start:
            self.start, self.used = start, used

    def grant(self, limit, d, now):
        room = max(0, limit["limit"] - self.aged(limit, now)[2])
        return fit(d, room)

    def settle(self, limit, d, grant, charged, now):
        start, end, used, then = self.aged(limit, now)
        retry = 0 if grant else NEVER if needed(d) > limit["limit"] else end - now
        if charged:
            used += grant
            self.start, self.used = start, used
        return [1 if grant else 0, grant if charged else 0, max(0, limit["limit"] - used), retry,
                end - now if used else 0, 0, then]

    def give_back(self, limit, permits, charged_at, now):
        start, end, used, _ = self.aged(limit, now)
        if start <= charged_at < end:
            used = max(0, used - permits)
        self.start, self.used = start, used

    def adjust(self, limit, more, charged_at, now, actual):
        start, end, used, _ = self.aged(limit, now)
        after = max(0, used + more) if more > 0 or start <= charged_at < end else used
        self.start, self.used = start, after
        return after - used


class Slices:
    """Permits admitted, by time slice."""

    def __init__(self):
        self.counts = {}

    @staticmethod
    def length(limit):
        return -(-limit["window"] // limit["slices"])

    def aged(self, limit, now):
        """Returns the counts of the slices that are not over, the present slice, and the time to decide by."""
        s, n = self.length(limit), limit["slices"]
        i = now // s
        live = {j: c for j, c in self.counts.items() if c}
        if live and max(live) > i:
            if max(live) * s - now <= CLAMP:
                i, now = max(live), max(live) * s
            else:
                return {i: sum(live.values())}, i, now
        return {j: c for j, c in live.items() if j >= i - n}, i, now

    def estimate(self, limit, live, i, then):
        s, n = self.length(limit), limit["slices"]
        if not limit["weighted"]:
            return sum(c for j, c in live.items() if j >= i - n)
        whole = sum(c for j, c in live.items() if j > i - n)
        return whole + ceil(Fraction(live.get(i - n, 0) * (s - (then - i * s)), s))

    def rebase(self, limit, now):
        live = {j: c for j, c in self.counts.items() if c}
        s = self.length(limit)
        if live and max(live) > now // s and max(live) * s - now > CLAMP:
            self.counts = self.aged(limit, now)[0]

    def grant(self, limit, d, now):
        live, i, then = self.aged(limit, now)
        room = max(0, limit["limit"] - self.estimate(limit, live, i, then))
        return fit(d, room)

    def fits(self, limit, live, moment, permits):
        return self.estimate(limit, live, moment // self.length(limit), moment) + permits <= limit["limit"]

    def settle(self, limit, d, grant, charged, now):
        live, i, then = self.aged(limit, now)
        s, n = self.length(limit), limit["slices"]
        retry = 0
        if not grant:
            retry = NEVER
            if needed(d) <= limit["limit"]:
                # Bisect for the first moment: without new admissions, the estimate only falls.
                low, high = then, (max(live) + n + 1) * s
                while low < high:
                    middle = (low + high) // 2
                    if self.fits(limit, live, middle, needed(d)):
                        high = middle
                    else:
                        low = middle + 1
                retry = low - now
        if charged:
            live = dict(live)
            live[i] = live.get(i, 0) + grant
            self.counts = live
        reset = (max(live) + n + 1) * s - now if live else 0
        remaining = max(0, limit["limit"] - self.estimate(limit, live, i, then))
        return [1 if grant else 0, grant if charged else 0, remaining, retry, reset, 0, then]

    def give_back(self, limit, permits, charged_at, now):
        live, _, _ = self.aged(limit, now)
        j = charged_at // self.length(limit)
        if j in live:
            live[j] = max(0, live[j] - permits)
        self.counts = {j: c for j, c in live.items() if c}

    def adjust(self, limit, more, charged_at, now, actual):
        live, i, _ = self.aged(limit, now)
        j = charged_at // self.length(limit)
        if j not in live:
            j, more = i, max(0, more)
        before = live.get(j, 0)
        live[j] = max(0, before + more)
        self.counts = {j: c for j, c in live.items() if c}
        return live[j] - before


class Holders:
    """Permits in flight, by holder and expiry."""

    def __init__(self):
        self.held = []

    def aged(self, limit, now):
        if any(end > now + limit["ttl"] + CLAMP for _, _, end in self.held):
            return [(h, p, min(end, now + limit["ttl"])) for h, p, end in self.held if end > now]
        return [(h, p, end) for h, p, end in self.held if end > now]

    def rebase(self, limit, now):
        if any(end > now + limit["ttl"] + CLAMP for _, _, end in self.held):
            self.held = self.aged(limit, now)

    def grant(self, limit, d, now):
        room = max(0, limit["limit"] - sum(p for _, p, _ in self.aged(limit, now)))
        return fit(d, room)

    def settle(self, limit, d, grant, charged, now):
        held = self.aged(limit, now)
        retry = 0
        if not grant:
            retry = NEVER
            if needed(d) <= limit["limit"]:
                for end in sorted({end for _, _, end in held}):
                    if sum(p for _, p, e in held if e > end) + needed(d) <= limit["limit"]:
                        retry = end - now
                        break
        if charged:
            held = held + [(d["holder"], grant, now + limit["ttl"])]
            self.held = held
        used = sum(p for _, p, _ in held)
        return [1 if grant else 0, grant if charged else 0, max(0, limit["limit"] - used), retry,
                NEVER if used else 0, 0, now]

    def give_back(self, limit, permits, charged_at, now, holder=None):
        """A holder that has lost its permits changes nothing, not even what has expired."""
        if any(h == holder for h, _, _ in self.aged(limit, now)):
            self.held = [(h, p, end) for h, p, end in self.aged(limit, now) if h != holder]

    def renew(self, limit, now, holder):
        held = self.aged(limit, now)
        found = any(h == holder for h, _, _ in held)
        self.held = [(h, p, now + limit["ttl"] if h == holder else end) for h, p, end in held]
        return found


class World:
    def __init__(self, name):
        self.name, self.limits, self.counts, self.steps, self.now = name, {}, {}, [], EPOCH
        self.settled = {}

    def bucket(self, label, permits, micros, burst, name=None):
        self.limits[label] = {"algorithm": "token_bucket", "name": name or label, "rate": [permits, micros], "burst": burst}
        return self

    def log(self, label, limit, window, name=None):
        self.limits[label] = {"algorithm": "sliding_log", "name": name or label, "limit": limit, "window": window}
        return self

    def leaky(self, label, permits, micros, capacity, max_wait=None, name=None):
        rate, _ = pace(permits, micros)
        wait = max_wait if max_wait is not None else ceil(capacity / rate) if rate else 0
        self.limits[label] = {"algorithm": "leaky_bucket", "name": name or label, "rate": [permits, micros],
                              "capacity": capacity, "max_wait": wait}
        return self

    def window(self, label, limit, window, name=None):
        self.limits[label] = {"algorithm": "fixed_window", "name": name or label, "limit": limit, "window": window}
        return self

    def calendar(self, label, limit, align, zone, name=None):
        self.limits[label] = {"algorithm": "fixed_window", "name": name or label, "limit": limit, "align": align, "zone": zone}
        return self

    def slices(self, label, limit, window, slices=10, weighted=False, name=None):
        self.limits[label] = {"algorithm": "sliding_window", "name": name or label, "limit": limit, "window": window,
                              "slices": slices, "weighted": weighted}
        return self

    def held(self, label, limit, ttl, name=None):
        self.limits[label] = {"algorithm": "concurrency", "name": name or label, "limit": limit, "ttl": ttl}
        return self

    def count(self, label, key):
        limit = self.limits[label]
        kind = {"token_bucket": Bucket, "leaky_bucket": Leaky, "fixed_window": Window, "sliding_window": Slices,
                "sliding_log": Log, "concurrency": Holders}[limit["algorithm"]]
        shape = (kind, limit.get("window"), limit.get("align"), limit.get("zone"), limit.get("slices"))
        return self.counts.setdefault((limit["name"], shape, key), kind())

    def kept(self, count, d):
        """Whether a refused demand would have fitted if it kept nothing for others."""
        return d["keep"] > 0 and count.grant(self.limits[d["limit"]], {**d, "keep": 0}, self.now) > 0

    def judged(self, d):
        """A demand for nothing passes where one permit that keeps one fewer would pass now. It is not charged."""
        slots = self.limits[d["limit"]]["algorithm"] == "token_bucket"
        return {**d, "permits": 1, "at_least": 1, "keep": d["keep"] - 1, "max_wait": 0 if slots else d["max_wait"]}

    def ask(self, *demands, look=False, after=0):
        """A demand is (limit, key, permits[, at_least[, max_wait[, keep]]])."""
        self.now += after
        ds = []
        for label, key, permits, *more in demands:
            limit = self.limits[label]
            holder = f"h{len(self.steps)}" if limit["algorithm"] == "concurrency" else ""
            ds.append({"limit": label, "key": key, "permits": permits, "at_least": more[0] if more else permits,
                       "max_wait": more[1] if len(more) > 1 else limit.get("max_wait", 0), "holder": holder,
                       "keep": more[2] if len(more) > 2 else 0})
        shown, ds = ds, [d if d["permits"] else self.judged(d) for d in ds]
        counts = [self.count(d["limit"], d["key"]) for d in ds]
        grants = [c.grant(self.limits[d["limit"]], d, self.now) for c, d in zip(counts, ds)]
        allowed = all(grants)
        kept = [not g and self.kept(c, d) for c, d, g in zip(counts, ds, grants)]
        charged = allowed and not look
        takes = [charged and s["permits"] > 0 for s in shown]
        verdicts = [c.settle(self.limits[d["limit"]], d, g, t, self.now)
                    for c, d, g, t in zip(counts, ds, grants, takes)]
        for verdict, k in zip(verdicts, kept):
            verdict[0] = 2 if k else verdict[0]
        if not look:
            for c, d, t in zip(counts, ds, takes):
                if not t:
                    c.rebase(self.limits[d["limit"]], self.now)
        self.steps.append({"at": self.now, "look": look,
                           "ask": [[d["limit"], d["key"], d["permits"], d["at_least"], d["max_wait"]]
                                   + ([d["holder"]] if d["holder"] or d["keep"] else [])
                                   + ([d["keep"]] if d["keep"] else []) for d in shown],
                           "allowed": allowed, "verdicts": verdicts})
        return self

    def give_back(self, step, after=0):
        self.now += after
        taken = self.steps[step]
        for (label, key, _, _, _, *more), verdict in zip(taken["ask"], taken["verdicts"]):
            if verdict[1]:
                holder = more[:1] if self.limits[label]["algorithm"] == "concurrency" else []
                self.count(label, key).give_back(self.limits[label], verdict[1], verdict[6], self.now, *holder)
        self.steps.append({"at": self.now, "give_back": step % len(self.steps)})
        return self

    def renew(self, step, after=0):
        """Renews the permits of the only demand of a step."""
        self.now += after
        label, key, _, _, _, holder, *_ = self.steps[step]["ask"][0]
        held = self.count(label, key).renew(self.limits[label], self.now, holder)
        self.steps.append({"at": self.now, "renew": step, "held": held})
        return self

    def settle(self, step, *actual, within=300 * 10**6, id=None, after=0):
        """Settles the charges of a step with their real figures. A result is how, and what was charged; negative if given back."""
        self.now += after
        step = step % len(self.steps)
        id = id or f"r{step}"
        taken, results = self.steps[step], []
        charged = [(d, v) for d, v in zip(taken["ask"], taken["verdicts"]) if v[1]]
        assert len(charged) == len(actual)
        for (d, v), figure in zip(charged, actual):
            count = self.count(d[0], d[1])
            if self.now - v[6] > within or v[6] - self.now > CLAMP:
                results.append(["unknown", 0])
            elif (id, count) in self.settled:
                first, change = self.settled[id, count]
                results.append(["repeated", change] if first == figure else ["conflict", 0])
            else:
                change = count.adjust(self.limits[d[0]], figure - v[1], v[6], self.now, figure) if figure != v[1] else 0
                self.settled[id, count] = figure, change
                results.append(["settled", change])
        self.steps.append({"at": self.now, "settle": step, "id": id, "within": within, "actual": list(actual), "results": results})
        return self


SECOND, MINUTE, HOUR, DAY = 10**6, 60 * 10**6, 3600 * 10**6, 86400 * 10**6


def written():
    """Hand-written scenarios, one fact each."""
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
    w = World("a faster rate counts from when it is first asked for, even if that is refused").bucket("b", 1, DAY, 4)
    w.bucket("c", 10, SECOND, 4, "b").bucket("o", 1, DAY, 1)
    w.ask(("b", "k", 4)).ask(("c", "k", 1), after=HOUR).ask(("c", "k", 1), after=99_999).ask(("c", "k", 1), after=1)
    w.ask(("b", "l", 4), ("o", "k", 1)).ask(("c", "l", 1), ("o", "k", 1), after=HOUR).ask(("b", "l", 1), after=100_000)
    yield w.ask(("b", "l", 1), after=HOUR).ask(("c", "l", 1)).ask(("c", "l", 1), after=100_000)
    w = World("a slower rate counts from when it is first asked for, even if that is refused").bucket("b", 10, SECOND, 4)
    w.bucket("c", 1, DAY, 4, "b")
    w.ask(("b", "k", 4)).ask(("c", "k", 4), after=250_000).ask(("c", "k", 3), after=HOUR).ask(("c", "k", 2))
    yield w.ask(("b", "k", 4), after=100_000).ask(("b", "k", 1), after=99_999).ask(("b", "k", 4), after=200_001)
    w = World("a look at another rate changes nothing").bucket("b", 1, MINUTE, 4).bucket("c", 10, SECOND, 4, "b")
    w.ask(("b", "k", 4)).ask(("c", "k", 1), look=True, after=SECOND).ask(("c", "k", 4), look=True, after=HOUR // 120)
    w.ask(("b", "k", 1), after=28_999_999).ask(("c", "k", 1), look=True).ask(("b", "k", 1), after=1)
    yield w.ask(("c", "k", 4)).ask(("b", "k", 4), look=True, after=200_000).ask(("c", "k", 3), after=1).ask(("c", "k", 2))
    w = World("rates that take turns, asked for often, round against the caller").bucket("b", 7, 3 * SECOND, 5)
    w.bucket("c", 1, 2, 5, "b").bucket("d", 999_983, 1_000_003, 5, "b").ask(("b", "k", 5))
    for after in (1, 1, 1, 2, 1, 3, 1, 1):
        w.ask(("d", "k", 5), after=after).ask(("c", "k", 5), after=after).ask(("b", "k", 5))
    yield w.ask(("b", "k", 1), after=400_000).ask(("b", "k", 1), after=28_571).ask(("b", "k", 1)).ask(("c", "k", 1), after=1)
    w = World("under a rate of nothing a bucket drains at the rate that it had").bucket("b", 1, SECOND, 10)
    w.bucket("z", 0, SECOND, 10, "b").bucket("c", 2, SECOND, 10, "b")
    w.ask(("b", "k", 9)).ask(("z", "k", 1), after=2_500_000).ask(("z", "k", 1), after=SECOND).ask(("b", "k", 5), after=499_999)
    w.ask(("b", "k", 5), after=1).give_back(-1).ask(("z", "k", 1)).give_back(0, after=SECOND).ask(("c", "k", 6)).ask(("c", "k", 5))
    yield w.ask(("z", "k", 1), after=DAY).ask(("b", "k", 10))
    w = World("a refusal at another rate does not forget what has just drained").bucket("b", 10, SECOND, 3)
    w.bucket("c", 1, SECOND, 3, "b").ask(("b", "k", 3)).ask(("c", "k", 4), after=300_000).ask(("b", "k", 1), after=-300_000)
    yield w.ask(("c", "k", 3), after=150_000).ask(("b", "k", 1), after=-150_000).ask(("b", "k", 3), after=400_000)
    w = World("a rate of nothing, and time that steps back far").bucket("b", 3, SECOND, 10).bucket("z", 0, SECOND, 10, "b")
    w.ask(("b", "k", 10)).ask(("z", "k", 1), look=True, after=-4 * SECOND).ask(("z", "k", 1)).ask(("b", "k", 4), after=SECOND)
    yield w.ask(("b", "k", 3)).give_back(0).ask(("z", "k", 1), after=-2 * SECOND).ask(("b", "k", 10), after=3_333_333).ask(("b", "k", 10), after=1)
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
    w = World("what was charged at another rate is not given back").bucket("f", 10, SECOND, 10, "b").bucket("s", 1, DAY, 10, "b")
    w.ask(("f", "k", 1)).ask(("s", "k", 9), after=1).give_back(0, after=SECOND).ask(("s", "k", 9)).give_back(1).ask(("s", "k", 9))
    w.ask(("f", "k", 3), after=SECOND).ask(("f", "k", 2), after=100_000).give_back(-2, after=1).ask(("f", "k", 10), look=True)
    yield w.give_back(-3, after=DAY).ask(("s", "k", 10)).ask(("f", "k", 1), after=SECOND).give_back(-2).ask(("f", "k", 10))
    w = World("after time has stepped back far, what was charged before is not given back").bucket("b", 1, SECOND, 10)
    w.ask(("b", "k", 4)).ask(("b", "k", 10), after=7 * SECOND).ask(("b", "k", 6)).ask(("b", "k", 1), after=-6 * SECOND)
    yield w.give_back(0).give_back(2).ask(("b", "k", 9)).ask(("b", "k", 1), after=8 * SECOND).give_back(-1).ask(("b", "k", 5), look=True)
    w = World("given back after time stepped back").bucket("b", 1, SECOND, 5).log("l", 5, MINUTE)
    w.ask(("b", "k", 5), ("l", "k", 5)).give_back(0, after=-500_000).ask(("b", "k", 1), ("l", "k", 1))
    yield w.ask(("b", "k", 4), ("l", "k", 4)).give_back(3, after=-90 * SECOND).ask(("b", "k", 1)).ask(("l", "k", 1))


    w = World("a leaky bucket hands out slots at its rate").leaky("l", 10, SECOND, 3)
    for after in (0, 0, 0, 0, 0, 50_000, 50_000, 0, 500_000, 0):
        w.ask(("l", "k", 1), after=after)
    yield w
    w = World("a leaky bucket lets nobody wait longer than it may").leaky("l", 10, SECOND, 10, 150_000)
    w.ask(("l", "k", 1)).ask(("l", "k", 1)).ask(("l", "k", 1)).ask(("l", "k", 1, 1, 100_000)).ask(("l", "k", 1, 1, 0))
    yield w.ask(("l", "k", 1), after=49_999).ask(("l", "k", 1), after=1).ask(("l", "k", 1, 1, 0), after=200_000)
    w = World("weights in a leaky bucket").leaky("l", 10, SECOND, 5)
    w.ask(("l", "k", 4)).ask(("l", "k", 3)).ask(("l", "k", 2)).ask(("l", "k", 7)).ask(("l", "k", 6), after=SECOND)
    yield w.ask(("l", "k", 3, 1), after=300_000).ask(("l", "k", 3, 3), after=100_000).give_back(4).ask(("l", "k", 3))
    w = World("a leaky bucket without room to wait, or without a rate").leaky("l", 10, SECOND, 0).leaky("z", 0, SECOND, 5)
    yield w.ask(("l", "k", 1)).ask(("l", "k", 1)).ask(("l", "k", 1), after=100_000).ask(("z", "k", 1)).ask(("l", "k", 2))
    w = World("a changed leaky bucket keeps its queue").leaky("l", 10, SECOND, 5).leaky("m", 3, SECOND, 5, None, "l")
    w.ask(("l", "k", 3)).ask(("m", "k", 1), after=50_000).ask(("l", "k", 1), after=10).ask(("m", "k", 3), look=True)
    yield w
    w = World("another rate of a leaky bucket counts from when it is first asked for").leaky("l", 1, DAY, 5, DAY)
    w.leaky("m", 10, SECOND, 5, SECOND, "l").leaky("z", 0, SECOND, 5, 0, "l")
    w.ask(("l", "k", 1)).ask(("l", "k", 1)).ask(("m", "k", 1, 1, 0), after=HOUR).ask(("m", "k", 1, 1, 0), after=100_000)
    w.ask(("z", "k", 1), after=95_832).ask(("m", "k", 1, 1, 0), after=1).ask(("l", "k", 1, 1, 0), after=50_000)
    yield w.ask(("l", "k", 1, 1, 0), after=DAY // 2 - 1).ask(("l", "k", 1, 1, 0), after=1)
    w = World("windows follow each other from the epoch").window("w", 3, SECOND)
    w.now = EPOCH + 999_998
    for after in (0, 0, 1, 0, 1, 0, 0, 0, 999_999, 1, 5 * SECOND):
        w.ask(("w", "k", 1), after=after)
    yield w.ask(("w", "k", 4)).ask(("w", "k", 9, 1)).give_back(10).ask(("w", "k", 3)).give_back(11, after=SECOND).ask(("w", "k", 3))
    w = World("a changed window limit keeps what was used").window("w", 5, MINUTE).window("x", 3, MINUTE, "w")
    yield w.ask(("w", "k", 4)).ask(("x", "k", 1)).ask(("w", "k", 1)).ask(("x", "k", 1), after=MINUTE)
    w = World("windows and time that steps back").window("w", 3, SECOND)
    for after in (0, 0, -1, 0, 0, -999_999, 1_000_000, SECOND, 0, -2_500_000, 0, 499_999, 1, 600_000):
        w.ask(("w", "k", 1), after=after)
    yield w
    for zone, moment in (("UTC", 1_772_323_200), ("Europe/Berlin", 1_774_738_800), ("Europe/Berlin", 1_792_886_400),
                         ("America/New_York", 1_772_946_000), ("Asia/Kolkata", 1_798_741_800), ("Pacific/Apia", 1_325_239_200)):
        w = World(f"the calendar of {zone} around {moment}")
        for align in ("day", "week", "month", "year"):
            w.calendar(align, 2, align, zone)
        w.now = (moment - 3 * 3600) * SECOND
        for _ in range(30):
            w.ask(("day", "k", 1)).ask(("week", "k", 1)).ask(("month", "k", 1)).ask(("year", "k", 1), after=3_599_999_999)
        yield w
    w = World("a strict sliding window counts its oldest slice in full").slices("s", 4, SECOND, 10)
    for after in (0, 50_000, 50_000, 850_000, 0, 149_999, 1, 0, 49_999, 50_000, 1, 10 * SECOND):
        w.ask(("s", "k", 1), after=after)
    yield w.ask(("s", "k", 5)).ask(("s", "k", 9, 1)).give_back(11).ask(("s", "k", 4)).ask(("s", "k", 1))
    w = World("a weighted sliding window lets its oldest slice fade").slices("s", 10, SECOND, 2, True)
    w.ask(("s", "k", 10)).ask(("s", "k", 1), after=SECOND).ask(("s", "k", 1), after=49_999).ask(("s", "k", 1), after=1)
    yield w.ask(("s", "k", 4), after=200_000).ask(("s", "k", 5)).ask(("s", "k", 5), after=250_000).ask(("s", "k", 20))
    w = World("slices that do not divide their window").slices("s", 3, 1_000_001, 7).slices("t", 3, 1_000_001, 7, True)
    for after in (0, 142_857, 142_857, 142_858, 428_571, 142_858, 142_858, 142_857, 1):
        w.ask(("s", "k", 1), ("t", "k", 1), after=after)
    yield w
    w = World("one slice").slices("s", 2, SECOND, 1).slices("t", 2, SECOND, 1, True)
    for after in (0, 10, 999_999, 500_000, 499_999, 1, 1, 400_000):
        w.ask(("s", "k", 1), after=after).ask(("t", "k", 1))
    yield w
    w = World("sliding windows and time that steps back").slices("s", 3, SECOND, 4).slices("t", 3, SECOND, 4, True)
    for after in (0, 250_000, -250_000, -999_999, 0, 1_300_000, -1_500_000, -1_700_000, 250_000, 999_999, 1, 400_000, -9_000_000, 1):
        w.ask(("s", "k", 1), ("t", "k", 1), after=after)
    yield w
    w = World("a changed sliding window keeps what was used").slices("s", 5, SECOND).slices("t", 3, SECOND, 10, True, "s")
    yield w.ask(("s", "k", 4)).ask(("t", "k", 1), after=SECOND).ask(("t", "k", 1), after=99_999).ask(("s", "k", 1), after=1)
    w = World("permits in flight are held until given back").held("c", 2, MINUTE)
    w.ask(("c", "k", 1)).ask(("c", "k", 1), after=10).ask(("c", "k", 1), after=10).give_back(0).ask(("c", "k", 1))
    yield w.ask(("c", "k", 3)).give_back(0).ask(("c", "k", 1)).give_back(1).give_back(4).ask(("c", "k", 2)).ask(("c", "k", 9, 1))
    w = World("permits in flight are taken back when nobody renews them").held("c", 2, MINUTE)
    w.ask(("c", "k", 1)).ask(("c", "k", 1), after=SECOND).renew(0, after=30 * SECOND).ask(("c", "k", 1), after=29_999_999)
    w.ask(("c", "k", 1), after=1).renew(1).ask(("c", "k", 2), after=29 * SECOND).renew(0, after=SECOND).renew(0, after=DAY)
    yield w.ask(("c", "k", 2)).ask(("c", "k", 1), look=True)
    w = World("permits in flight and time that steps back").held("c", 2, SECOND)
    w.ask(("c", "k", 1)).ask(("c", "k", 1), after=-900_000).ask(("c", "k", 1), after=SECOND).ask(("c", "k", 1), after=-SECOND)
    w.ask(("c", "k", 1), after=-60 * SECOND).ask(("c", "k", 1), after=999_999).ask(("c", "k", 1), after=1).give_back(0)
    yield w.ask(("c", "k", 2), after=SECOND)
    w = World("six algorithms in one decision").bucket("a", 100, SECOND, 5).leaky("b", 50, SECOND, 5).window("c", 6, SECOND)
    w.slices("d", 7, SECOND).log("e", 8, SECOND).held("f", 4, SECOND)
    six = tuple((x, "k", 1) for x in "abcdef")
    for after in (0, 0, 0, 0, 0, 100_000, 0, 400_000, 500_000, 0):
        w.ask(*six, after=after)
    yield w.give_back(0).ask(*six).give_back(8).ask(*six)


def keeping():
    """Demands that leave permits for others."""
    w = World("a bucket keeps permits for others").bucket("b", 10, SECOND, 10)
    w.ask(("b", "k", 6, 6, 0, 5)).ask(("b", "k", 5, 5, 0, 5)).ask(("b", "k", 1, 1, 0, 5)).ask(("b", "k", 5)).ask(("b", "k", 1, 1, 0, 5))
    w.ask(("b", "k", 1, 1, 0, 5), after=599_999).ask(("b", "k", 1, 1, 0, 5), after=1).ask(("b", "k", 1, 1, 0, 10), after=DAY)
    yield w.ask(("b", "k", 1, 1, 0, 9)).ask(("b", "k", 1, 1, 0, 11)).ask(("b", "k", 20, 1, 0, 4)).ask(("b", "k", 1, 1, 0, 4))
    w = World("a bucket gives no later slot to a demand that keeps permits").bucket("b", 10, SECOND, 10)
    w.ask(("b", "k", 8)).ask(("b", "k", 3, 3, SECOND, 1)).ask(("b", "k", 2, 2, SECOND, 1)).ask(("b", "k", 3, 3, SECOND))
    yield w.ask(("b", "k", 1, 1, SECOND, 1), after=200_000).ask(("b", "k", 1, 1, 100_000, 1)).ask(("b", "k", 1, 1, SECOND, 1), after=100_000)
    w = World("a leaky bucket keeps places for others").leaky("l", 10, SECOND, 5)
    w.ask(("l", "k", 1, 1, SECOND, 5)).ask(("l", "k", 1, 1, SECOND, 5)).ask(("l", "k", 2, 2, SECOND, 2)).ask(("l", "k", 2, 2, SECOND, 2))
    w.ask(("l", "k", 2, 1, SECOND, 2)).ask(("l", "k", 1, 1, 0, 2)).ask(("l", "k", 2)).ask(("l", "k", 1, 1, SECOND, 6))
    yield w.ask(("l", "k", 1, 1, SECOND, 3), after=399_999).ask(("l", "k", 1, 1, SECOND, 3), after=1)
    w = World("windows keep permits for others").window("w", 10, SECOND).slices("s", 10, SECOND).slices("t", 10, SECOND, 4, True)
    w.log("l", 10, SECOND)
    for label in "wstl":
        w.ask((label, "k", 5, 5, 0, 6)).ask((label, "k", 4, 4, 0, 6)).ask((label, "k", 6, 6, 0, 1)).ask((label, "k", 6, 2, 0, 1))
        w.ask((label, "k", 1, 1, 0, 1)).ask((label, "k", 1)).ask((label, "k", 1, 1, 0, 1)).ask((label, "k", 1, 1, 0, 10))
        w.ask((label, "k", 1, 1, 0, 5), after=500_000).ask((label, "k", 1, 1, 0, 5), after=499_999).ask((label, "k", 1, 1, 0, 5), after=1)
        w.ask((label, "k", 1, 1, 0, 9), after=DAY)
    yield w
    w = World("permits in flight that are kept for others").held("c", 4, SECOND)
    w.ask(("c", "k", 2, 2, 0, 2)).ask(("c", "k", 1, 1, 0, 2)).ask(("c", "k", 1, 1, 0, 1), after=10).ask(("c", "k", 1, 1, 0, 1))
    w.ask(("c", "k", 1)).ask(("c", "k", 1, 1, 0, 1)).give_back(0).ask(("c", "k", 2, 1, 0, 1)).ask(("c", "k", 1, 1, 0, 4))
    yield w.ask(("c", "k", 1, 1, 0, 3), after=SECOND - 10).ask(("c", "k", 1, 1, 0, 3), after=10)
    w = World("those above lose nothing to those that keep").bucket("b", 10, SECOND, 10)
    for _ in range(12):
        w.ask(("b", "k", 1, 1, 0, 5)).ask(("b", "k", 1, 1, 0, 2)).ask(("b", "k", 1), after=100_000)
    yield w
    w = World("kept for others in one of several limits").bucket("b", 10, SECOND, 10).log("l", 5, SECOND).window("w", 5, SECOND)
    w.ask(("b", "k", 1), ("l", "k", 3, 3, 0, 2)).ask(("b", "k", 1), ("l", "k", 1, 1, 0, 2)).ask(("b", "k", 1, 1, 0, 9), ("l", "k", 3))
    yield w.ask(("b", "k", 1, 1, 0, 8), ("l", "k", 1), look=True).ask(("b", "k", 1, 1, 0, 8), ("l", "k", 1), ("w", "k", 1, 1, 0, 4))


def unasking():
    """Demands that want nothing, but require that permits are left."""
    w = World("a demand for nothing passes while a permit is left, and charges nothing").bucket("b", 10, SECOND, 3).window("w", 3, SECOND)
    w.slices("s", 3, SECOND).slices("t", 3, SECOND, 4, True).log("l", 3, SECOND).leaky("q", 10, SECOND, 2).held("c", 3, SECOND)
    for label in "bwstlqc":
        wait = SECOND if label == "q" else 0
        w.ask((label, "k", 0, 0, wait, 1)).ask((label, "k", 2, 2, wait)).ask((label, "k", 0, 0, wait, 1)).ask((label, "k", 0, 0, wait, 2))
        w.ask((label, "k", 0, 0, wait, 1), look=True).ask((label, "k", 1, 1, wait)).ask((label, "k", 0, 0, wait, 1))
        w.ask((label, "k", 0, 0, wait, 2)).ask((label, "k", 0, 0, wait, 4)).ask((label, "k", 0, 0, wait, 1), after=99_999)
        w.ask((label, "k", 0, 0, wait, 1), after=1).ask((label, "k", 0, 0, wait, 3), after=DAY).ask((label, "k", 3, 3, wait))
    yield w
    w = World("a demand for nothing gets no later slot").bucket("b", 10, SECOND, 2)
    yield w.ask(("b", "k", 2)).ask(("b", "k", 0, 0, SECOND, 1)).ask(("b", "k", 1, 1, SECOND)).ask(("b", "k", 0, 0, SECOND, 2), after=200_000)
    w = World("a demand for nothing beside others, all or nothing").bucket("b", 10, SECOND, 5).log("l", 2, SECOND)
    w.ask(("b", "k", 2), ("l", "k", 0, 0, 0, 1)).ask(("b", "k", 0, 0, 0, 1), ("l", "k", 2)).ask(("b", "k", 2), ("l", "k", 0, 0, 0, 1))
    yield w.ask(("b", "k", 0, 0, 0, 4), ("l", "l", 1)).ask(("b", "k", 0, 0, 0, 1), ("l", "l", 0, 0, 0, 2)).give_back(0).ask(("b", "k", 5))
    w = World("a demand for nothing begins a new rate and follows a step back").bucket("b", 1, DAY, 4).bucket("c", 10, SECOND, 4, "b")
    w.log("l", 2, MINUTE).window("w", 2, MINUTE).slices("s", 2, SECOND)
    w.ask(("b", "k", 3)).ask(("c", "k", 0, 0, 0, 1), after=HOUR).ask(("c", "k", 2), after=100_000).ask(*((x, "k", 1) for x in "lws"))
    w.ask(*((x, "k", 0, 0, 0, 1) for x in "lws"), after=-5 * SECOND).ask(*((x, "k", 2) for x in "lws"), after=4 * SECOND)
    yield w.ask(*((x, "k", 2) for x in "lws"), after=MINUTE)


def settling():
    """Reservations whose real cost is known later."""
    w = World("a bucket gets back what was not used, and is charged for what was used beyond").bucket("b", 10, SECOND, 100)
    w.ask(("b", "k", 50)).settle(0, 20).ask(("b", "k", 1), look=True).ask(("b", "k", 80)).settle(3, 130, after=100_000)
    w.ask(("b", "k", 1)).ask(("b", "k", 1), after=4_999_999).ask(("b", "k", 1), after=1).settle(3, 130).settle(3, 129).settle(0, 20)
    yield w.ask(("b", "k", 1), look=True)
    w = World("a bucket gives back less what has flowed since").bucket("b", 10, SECOND, 100)
    w.ask(("b", "k", 50)).settle(0, 20, after=1_250_000).ask(("b", "k", 1), look=True).ask(("b", "k", 100), after=MINUTE)
    w.settle(-1, 0, after=9_950_000).ask(("b", "k", 1), look=True).ask(("b", "k", 5)).settle(-1, 0, after=HOUR, within=DAY)
    yield w.ask(("b", "k", 5)).settle(-1, 12, after=HOUR, within=HOUR).ask(("b", "k", 1), look=True)
    w = World("a settlement does not bring back the rate of its reservation").bucket("f", 10, SECOND, 10, "b").bucket("s", 1, SECOND, 10, "b")
    w.ask(("f", "k", 5)).ask(("s", "k", 1)).settle(0, 7).ask(("s", "k", 5), look=True).settle(0, 2, id="x", after=SECOND)
    w.ask(("s", "k", 5)).settle(-1, 1, after=500_000).ask(("s", "k", 1), look=True).ask(("s", "k", 2), after=MINUTE)
    yield w.settle(-1, 30, after=10 * SECOND).ask(("f", "k", 1), after=SECOND).settle(0, 9, id="y", after=HOUR, within=DAY).ask(("s", "k", 1))
    w = World("windows are settled in the window of the reservation").window("w", 10, SECOND).log("l", 10, SECOND)
    w.slices("s", 10, SECOND).slices("t", 10, SECOND, 4, True)
    four = tuple((x, "k", 6) for x in "wlst")
    look = tuple((x, "k", 1) for x in "wlst")
    w.ask(*four).ask(*four).settle(0, 2, 2, 2, 2, after=100_000).ask(*look, look=True).ask(*four).settle(4, 9, 9, 9, 9, after=100_000)
    w.ask(*look).ask(*look, after=799_999).ask(*look, after=1).ask(*look, after=100_000).ask(*look, after=200_000)
    w.settle(4, 9, 9, 9, 9).settle(4, 6, 6, 6, 6, id="again").settle(4, 0, 0, 0, 0, id="late").ask(*look, look=True)
    yield w.settle(4, 20, 20, 20, 20, id="later", after=2 * SECOND).ask(*look).ask(*look, after=999_999).ask(*look, after=600_000)
    w = World("the calendar settles in the month of the reservation").calendar("m", 1000, "month", "Europe/Berlin")
    w.now = 1_793_487_600 * SECOND - HOUR
    w.ask(("m", "k", 900)).settle(0, 100).ask(("m", "k", 500)).settle(2, 200, after=HOUR, within=DAY).ask(("m", "k", 1), look=True)
    yield w.settle(2, 800, id="x", within=DAY).ask(("m", "k", 1), look=True).settle(2, 200, within=DAY)
    w = World("too old to settle, or not yet").log("l", 5, MINUTE).bucket("b", 1, SECOND, 5)
    both = (("l", "k", 4), ("b", "k", 4))
    w.ask(*both).settle(0, 1, 1, within=SECOND, after=SECOND + 1).settle(0, 1, 1, within=SECOND + 1).settle(0, 1, 1, within=SECOND, after=1)
    yield w.ask(*both, look=True).ask(("l", "k", 1), after=HOUR).settle(-1, 3, after=-1_000_001).settle(-2, 3, after=1).ask(("l", "k", 1))
    w = World("a settlement after time has stepped back").log("l", 5, MINUTE).bucket("b", 1, SECOND, 5).window("w", 5, MINUTE).slices("s", 5, SECOND)
    all4 = tuple((x, "k", 2) for x in "lbws")
    w.ask(*all4).settle(0, 1, 1, 1, 1, after=-500_000).ask(*all4, look=True).ask(*all4, after=SECOND)
    w.settle(-1, 4, 4, 4, 4, after=-900_000).ask(*all4).ask(*all4, after=2 * SECOND).settle(3, 0, 0, 0, 0, id="x", after=-SECOND)
    yield w.ask(*all4, look=True).ask(*all4, after=-MINUTE).settle(0, 0, 0, 0, 0, id="y").settle(0, 9, 9, 9, 9, id="z", after=58 * SECOND).ask(*all4)
    w = World("debt is paid before anything else passes").bucket("b", 1, SECOND, 2).log("l", 2, SECOND)
    w.ask(("b", "k", 1), ("l", "k", 1)).settle(0, 1_000_000_000, 1_000_000_000).ask(("b", "k", 1)).ask(("l", "k", 1), after=500_000)
    w.ask(("l", "k", 1), after=500_000).ask(("b", "k", 1), after=999_999_998 * SECOND - SECOND - 1).ask(("b", "k", 1), after=1)
    yield w
    w = World("a rate of nothing remembers no debt").bucket("b", 10, SECOND, 5).bucket("z", 0, SECOND, 5, "b")
    w.ask(("b", "k", 1)).ask(("z", "k", 1)).settle(0, 4).ask(("b", "k", 1), after=100_000).ask(("z", "k", 1), after=MINUTE)
    yield w.settle(0, 9, id="x").ask(("b", "k", 5))


def random_world(seed, keeps=False, settles=False, wants_nothing=False):
    rnd = random.Random(seed)
    w = World(f"random {seed}")
    labels = []
    kinds = "abcdfg" if settles else "abcdefgh"
    for name in rnd.sample(kinds, rnd.randint(1, 4)) if seed > 40 else kinds[: rnd.randint(1, 4)]:
        for version in range(rnd.choice((1, 1, 2, 3))):
            label = f"{name}{version}"
            if name == "e":
                w.leaky(label, rnd.choice((1, 3, 10, 999, 12_345)), SECOND, rnd.choice((0, 1, 5, 40)),
                        rnd.choice((None, None, 0, 50_000, SECOND)), name)
            elif name == "f":
                w.window(label, rnd.choice((1, 2, 5, 40)), 333_333, name)
            elif name == "g":
                w.slices(label, rnd.choice((1, 2, 5, 40)), SECOND, 4, rnd.random() < 0.5, name)
            elif name == "h":
                w.held(label, rnd.choice((1, 2, 5)), 700_000, name)
            elif name in "ab":
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
        if steps and not settles and rnd.random() < 0.1:
            step = rnd.choice(steps[-6:])
            given.add(step)
            w.give_back(step, after=after)
            continue
        if settles and steps and rnd.random() < 0.25:
            step = rnd.choice(steps[-5:])
            granted = [v[1] for v in w.steps[step]["verdicts"] if v[1]]
            actual = [rnd.choice((0, g // 2, g, g + 1, 2 * g)) for g in granted]
            w.settle(step, *actual, within=(1000, SECOND, 10 * SECOND, HOUR)[step % 4], after=after)
            continue
        seen, demands = set(), []
        for label in rnd.sample(labels, rnd.randint(1, min(4, len(labels)))):
            key = rnd.choice("kkkl")
            name = w.limits[label]["name"]
            if (name, key) in seen:
                continue
            seen.add((name, key))
            cap = w.limits[label].get("burst", w.limits[label].get("limit", w.limits[label].get("capacity", 0) + 1))
            permits = rnd.choice((1, 1, 1, 2, max(1, cap // 3), max(1, cap), cap + 1))
            at_least = rnd.choice((permits, permits, permits, 1, max(1, permits // 2)))
            demands.append((label, key, permits, at_least, rnd.choice((0, 0, 0, 1000, SECOND))))
            if keeps:
                demands[-1] += (rnd.choice((0, 0, 1, 2, cap // 4, cap // 2, cap)),)
            if wants_nothing and demands[-1][5] and rnd.random() < 0.5:
                demands[-1] = (label, key, 0, 0) + demands[-1][4:]
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
    write(sys.argv[1], "random.json", [random_world(seed) for seed in range(1, 101)])
    write(sys.argv[1], "keep.json", list(keeping()) + [random_world(seed, keeps=True) for seed in range(101, 131)]
          + list(unasking()) + [random_world(seed, keeps=True, wants_nothing=True) for seed in range(161, 181)])
    write(sys.argv[1], "settle.json",
          list(settling()) + [random_world(seed, seed % 2 == 0, settles=True) for seed in range(131, 161)])
