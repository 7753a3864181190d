package io.sluice.history;

import io.sluice.core.algorithm.Count;
import io.sluice.core.algorithm.StepBack;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store on the pure algorithms, on one thread and with a time that is set by hand. It has a bug if one is planted. */
final class SimulatedStore {

    private static final long FORGOTTEN_AFTER_MICROS = 5_000_000;

    private final Bug bug;
    private final Map<String, Stored> counts = new HashMap<>();
    private final List<Done> done = new ArrayList<>();
    private boolean replicated;
    long nowMicros;

    /** What was done, so that a replica can do the same. */
    private record Done(long nowMicros, Consumer<SimulatedStore> what) {}

    private static final class Stored {
        final Count count;
        final long since;
        final Map<String, Lease> leases = new LinkedHashMap<>();
        final Set<String> settled = new HashSet<>();
        long number;

        /** The latest time since something was charged. A refusal after that has no step back to store. */
        long latestMicros;

        /** The rate at which a bucket was last charged; null before that. */
        @Nullable
        Pace pace;

        /** Whether something was refused at another rate since then. From then on, any refusal may write. */
        boolean otherPace;

        Stored(Count count, long since) {
            this.count = count;
            this.since = since;
        }
    }

    private record Lease(Limit limit, String key, long permits, long endsMicros, long chargedAtMicros) {}

    SimulatedStore(Bug bug, long nowMicros) {
        this.bug = bug;
        this.nowMicros = nowMicros;
    }

    static String name(Limit limit, String key) {
        return limit.name() + ":" + limit.shape() + ":" + key;
    }

    /** Has a replica from now on. */
    void replicate() {
        replicated = true;
    }

    /** Loses everything. */
    void empty() {
        counts.clear();
        done.clear();
    }

    /** The replica takes over. It has received the first steps but not the last ones. */
    void failOver(int lost) {
        List<Done> heard = List.copyOf(done.subList(0, Math.max(1, done.size() - lost)));
        long now = nowMicros;
        empty();
        for (Done each : heard) {
            nowMicros = each.nowMicros;
            each.what.accept(this);
        }
        nowMicros = now;
    }

    private void tell(Consumer<SimulatedStore> what) {
        if (replicated) {
            done.add(new Done(nowMicros, what));
        }
    }

    /** Decides requests that arrive at once. Only a store with a bug does not decide them one after the other. */
    List<List<StepEvent>> decide(List<List<Demand>> asks, List<String> ids, boolean charging, long clientMicros) {
        tell(store -> store.decide(asks, ids, charging, clientMicros));
        long now = bug == Bug.CLIENT_TIME ? clientMicros : nowMicros;
        List<List<StepEvent>> answers = new ArrayList<>();
        if (bug == Bug.NON_ATOMIC) {
            List<long[]> read = new ArrayList<>();
            for (List<Demand> demands : asks) {
                read.add(grants(demands, now));
            }
            for (int i = 0; i < asks.size(); i++) {
                answers.add(write(asks.get(i), ids.get(i), charging, read.get(i), now));
            }
        } else {
            for (int i = 0; i < asks.size(); i++) {
                answers.add(write(asks.get(i), ids.get(i), charging, grants(asks.get(i), now), now));
            }
        }
        return answers;
    }

    private long[] grants(List<Demand> demands, long now) {
        return demands.stream()
                .mapToLong(demand -> stored(demand.limit(), demand.key()).count.grant(demand, now))
                .toArray();
    }

    private List<StepEvent> write(List<Demand> demands, String id, boolean charging, long[] grants, long now) {
        boolean fits = true;
        for (long grant : grants) {
            fits &= grant > 0;
        }
        List<StepEvent> steps = new ArrayList<>();
        boolean refused = false;
        for (int i = 0; i < grants.length; i++) {
            Demand demand = demands.get(i);
            Count count = stored(demand.limit(), demand.key()).count;
            refused |= grants[i] == 0;
            boolean charged = charging && demand.isCharged() && (bug == Bug.HALF_AN_ASK ? !refused : fits);
            Verdict verdict = count.verdict(demand, grants[i], charged, now);
            if (charged) {
                count.charge(demand, grants[i], now);
            } else if (charging) {
                count.refuse(now);
            }
            StepEvent.Asked asked = new StepEvent.Asked(id, demand, charging, 1, verdict);
            steps.add(step(demand.limit(), demand.key(), asked, charging));
        }
        return steps;
    }

    StepEvent giveBack(Charge charge) {
        tell(store -> store.giveBack(charge));
        stored(charge.limit(), charge.key()).count.giveBack(charge, nowMicros);
        return step(charge.limit(), charge.key(), new StepEvent.GivenBack(charge), false);
    }

    /** Returns null if the settlement changes nothing because it is a repetition or too late. */
    @Nullable
    StepEvent settle(Settlement settlement) {
        tell(store -> store.settle(settlement));
        Stored stored = stored(settlement.limit(), settlement.key());
        boolean due = settlement.isDue(nowMicros) || bug == Bug.SETTLED_LATE;
        boolean again = bug != Bug.SETTLED_TWICE && stored.settled.contains(settlement.id());
        if (!due || again) {
            return null;
        }
        stored.settled.add(settlement.id());
        long change = stored.count.settle(settlement, nowMicros);
        // A bucket that had drained continues at the rate of the reservation.
        stored.pace = null;
        return step(settlement.limit(), settlement.key(), new StepEvent.Settled(settlement, change), false);
    }

    StepEvent renew(Charge charge) {
        tell(store -> store.renew(charge));
        boolean held = stored(charge.limit(), charge.key()).count.renew(charge, nowMicros);
        return step(charge.limit(), charge.key(), new StepEvent.Renewed(charge, held), false);
    }

    StepEvent lease(String id, Limit limit, String key, long wanted, long atLeast, long cap, long ttlMicros) {
        tell(store -> store.lease(id, limit, key, wanted, atLeast, cap, ttlMicros));
        Stored stored = stored(limit, key);
        stored.leases.values().removeIf(lease -> lease.endsMicros + FORGOTTEN_AFTER_MICROS < nowMicros);
        long outstanding = stored.leases.values().stream()
                .filter(lease -> lease.endsMicros > nowMicros)
                .mapToLong(Lease::permits)
                .sum();
        long room = bug == Bug.LEASE_BEYOND_CAP ? cap : cap - outstanding;
        long most = Math.min(wanted, Math.max(atLeast, (room + 1) / 2));
        long maxWait = limit.algorithm().equals("leaky_bucket") ? limit.maxWaitMicros() : 0;
        long grant = 0;
        long wait = 0;
        long chargedAt = nowMicros;
        boolean judged = room >= atLeast;
        if (judged) {
            Demand demand = ModelReplay.demand(limit, key, most, Math.min(most, atLeast), maxWait, "");
            grant = stored.count.grant(demand, nowMicros);
            if (grant > 0) {
                Verdict verdict = stored.count.verdict(demand, grant, true, nowMicros);
                wait = verdict.waitMicros();
                chargedAt = verdict.chargedAtMicros();
                if (bug != Bug.LEASE_NOT_CHARGED) {
                    stored.count.charge(demand, grant, nowMicros);
                }
            } else {
                stored.count.refuse(nowMicros);
            }
        }
        long ends = nowMicros + ttlMicros;
        if (limit instanceof FixedWindow window && bug != Bug.LEASE_OUTLIVES_WINDOW) {
            ends = Math.min(ends, window.windows().at(chargedAt).endMicros());
        }
        if (grant > 0) {
            stored.leases.put(id, new Lease(limit, key, grant, ends, chargedAt));
        }
        return step(
                limit,
                key,
                new StepEvent.Granted(id, limit, key, wanted, atLeast, cap, maxWait, grant, ends, wait, chargedAt),
                judged);
    }

    StepEvent end(String id, Limit limit, String key, long spent) {
        tell(store -> store.end(id, limit, key, spent));
        Stored stored = stored(limit, key);
        Lease lease = bug == Bug.LEASE_ENDED_TWICE ? stored.leases.get(id) : stored.leases.remove(id);
        long unspent = lease == null ? 0 : lease.permits - spent;
        if (lease != null && unspent > 0) {
            stored.count.giveBack(new Charge(lease.limit, key, unspent, lease.chargedAtMicros, ""), nowMicros);
        }
        return step(limit, key, new StepEvent.Ended(id, spent, unspent), false);
    }

    private Stored stored(Limit limit, String key) {
        return counts.computeIfAbsent(name(limit, key), name -> new Stored(new FaultyCount(limit, bug), nowMicros));
    }

    /**
     * Records a step.
     *
     * @param judged whether the count was charged or refused something
     */
    private StepEvent step(Limit limit, String key, StepEvent.Step step, boolean judged) {
        Stored stored = stored(limit, key);
        Pace pace = judged ? pace(limit) : null;
        boolean refusal = isRefusal(step);
        if (pace != null) {
            stored.otherPace = refusal && (stored.otherPace || !pace.equals(stored.pace));
            stored.pace = refusal ? stored.pace : pace;
        }
        long chargedAt = chargedAt(step);
        boolean looks = step instanceof StepEvent.Asked asked && !asked.charging();
        boolean unjudged = step instanceof StepEvent.Granted && !judged;
        boolean rebases = !looks && !unjudged && StepBack.rebases(stored.latestMicros, nowMicros);
        boolean same = refusal
                || (step instanceof StepEvent.Settled settled
                        && settled.settlement().more() == 0);
        boolean changed = isNumberedApart(limit) || rebases || (judged && stored.otherPace) || !same;
        stored.number += changed ? 1 : 0;
        stored.latestMicros = chargedAt > 0 ? Math.max(chargedAt, nowMicros) : Math.max(stored.latestMicros, nowMicros);
        long since = stored.number == 0 ? 0 : stored.since;
        return new StepEvent(name(limit, key), since, stored.number, changed, nowMicros, step);
    }

    /** Returns the pace of a bucket; null for any other limit. */
    private static @Nullable Pace pace(Limit limit) {
        return limit instanceof TokenBucket bucket
                ? bucket.pace()
                : limit instanceof LeakyBucket leaky ? leaky.pace() : null;
    }

    /** Returns when something was charged; 0 if nothing was. */
    private static long chargedAt(StepEvent.Step step) {
        if (step instanceof StepEvent.Asked asked && asked.verdict().granted() > 0) {
            return asked.verdict().chargedAtMicros();
        }
        return step instanceof StepEvent.Granted lease && lease.granted() > 0 ? lease.chargedAtMicros() : 0;
    }

    private static boolean isRefusal(StepEvent.Step step) {
        return (step instanceof StepEvent.Asked asked && asked.verdict().granted() == 0)
                || (step instanceof StepEvent.Granted lease && lease.granted() == 0);
    }

    private static boolean isNumberedApart(Limit limit) {
        return limit instanceof SlidingLog || limit instanceof Concurrency;
    }
}
