package io.sluice.history;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A process that asks the store, caches refusals, takes and spends leases, and records what it receives. */
final class SimulatedNode {

    private static final long TTL_MICROS = 1_000_000;
    private static final int REMEMBERED_CHARGES = 200;
    private static final int REMEMBERED_LEASES = 30;

    private final String name;
    private final SimulatedStore store;
    private final Bug bug;
    private final Random random;
    private final LongSupplier elapsedMicros;
    private final long offsetNanos;
    private final long wallMicros;
    private final List<HistoryEvent> events = new ArrayList<>();
    private final List<Charge> charges = new ArrayList<>();
    private final List<Settlement> settlements = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private final Map<String, Long> refusedUntilNanos = new HashMap<>();
    private int asks;
    private boolean alive = true;

    private static final class Lease {
        final String id;
        final Limit limit;
        final String key;
        final long permits;
        final long endsNanos;
        long spent;

        Lease(String id, Limit limit, String key, long permits, long endsNanos) {
            this.id = id;
            this.limit = limit;
            this.key = key;
            this.permits = permits;
            this.endsNanos = endsNanos;
        }

        String count() {
            return SimulatedStore.name(limit, key);
        }
    }

    SimulatedNode(
            String name, SimulatedStore store, Bug bug, Random random, LongSupplier elapsedMicros, long startMicros) {
        this.name = name;
        this.store = store;
        this.bug = bug;
        this.random = random;
        this.elapsedMicros = elapsedMicros;
        this.offsetNanos = random.nextLong(1L << 50) - (1L << 49);
        this.wallMicros = startMicros + random.nextInt(4_000_000) - 2_000_000;
    }

    History.Node told() {
        return new History.Node(name, alive, events);
    }

    /** Kills the process. Events that were not yet written are lost. */
    void kill() {
        alive = false;
        int lost = Math.min(events.size(), random.nextInt(6));
        events.subList(events.size() - lost, events.size()).clear();
    }

    /** Returns whether a cached refusal answers, so that the store need not be asked. */
    boolean refusesFromMemory(List<Demand> demands) {
        for (Demand demand : demands) {
            String count = SimulatedStore.name(demand.limit(), demand.key());
            Long until = refusedUntilNanos.get(count + demand.limit() + demand.permits() + "+" + demand.keep());
            long late = bug == Bug.REMEMBERED_TOO_LONG ? 5_000_000_000L : 0;
            if (until != null
                    && nanos() - until < late
                    && !demand.limit().algorithm().equals("concurrency")) {
                events.add(Simulation.told(
                        nextAsk(), demands.size(), false, AnswerEvent.Source.MEMORY, count, nanos(), wall()));
                return true;
            }
        }
        return false;
    }

    void ask(List<List<Demand>> asks, boolean charging) {
        long askedNanos = nanos();
        List<String> ids = asks.stream().map(ask -> nextAsk()).toList();
        List<List<StepEvent>> answers = store.decide(asks, ids, charging, wall());
        boolean lost = isLost();
        if (bug == Bug.BLIND_RETRY && random.nextInt(20) == 0) {
            answers.forEach(events::addAll); // late, and the caller is gone
            answers = store.decide(asks, ids, charging, wall());
        }
        for (int i = 0; i < asks.size() && !lost; i++) {
            heard(asks.get(i), ids.get(i), charging, answers.get(i), askedNanos);
        }
    }

    /** Asks, and the answer does not get lost. */
    void askAndHear(Demand demand) {
        String id = nextAsk();
        List<Demand> demands = List.of(demand);
        long askedNanos = nanos();
        heard(
                demands,
                id,
                true,
                store.decide(List.of(demands), List.of(id), true, wall()).get(0),
                askedNanos);
    }

    private void heard(List<Demand> demands, String id, boolean charging, List<StepEvent> steps, long askedNanos) {
        events.addAll(steps);
        boolean allowed = Simulation.allowed(steps);
        String refusing = null;
        for (int i = 0; i < steps.size(); i++) {
            Verdict verdict = ((StepEvent.Asked) steps.get(i).step()).verdict();
            Demand demand = demands.get(i);
            if (verdict.granted() > 0) {
                charges.add(new Charge(
                        demand.limit(), demand.key(), verdict.granted(), verdict.chargedAtMicros(), demand.holder()));
            } else if (!verdict.fits() && charging) {
                refusing = refusing == null ? steps.get(i).count() : refusing;
                long after = Math.min(60_000_000, verdict.retryAfterMicros()) * 1_000;
                refusedUntilNanos.put(
                        steps.get(i).count() + demand.limit() + demand.permits() + "+" + demand.keep(),
                        askedNanos + after);
            }
        }
        if (charging) {
            boolean told = allowed || (bug == Bug.TOLD_ALLOWED && random.nextInt(10) == 0);
            events.add(Simulation.told(
                    id, demands.size(), told, AnswerEvent.Source.STORE, told ? null : refusing, nanos(), wall()));
        }
    }

    void giveBackOne() {
        if (charges.isEmpty()) {
            return;
        }
        if (charges.size() > REMEMBERED_CHARGES) {
            charges.subList(0, charges.size() - REMEMBERED_CHARGES).clear();
        }
        Charge charge = charges.remove(random.nextInt(charges.size()));
        hear(store.giveBack(charge));
        boolean again = bug == Bug.RETURNED_TWICE || bug == Bug.RELEASED_TWICE;
        if (again && random.nextInt(3) == 0) {
            hear(store.giveBack(charge));
        }
    }

    /** Settles one of its reservations, or sends one of the last settlements again. */
    void settleOne() {
        if (!settlements.isEmpty() && random.nextInt(3) == 0) {
            hear(store.settle(oneOfTheLast(settlements)));
            return;
        }
        List<Charge> open = charges.stream().filter(SimulatedNode::canBeSettled).toList();
        if (open.isEmpty()) {
            return;
        }
        Charge charge = oneOfTheLast(open);
        charges.remove(charge);
        long actual = random.nextLong(charge.permits() + (random.nextInt(4) == 0 ? 6 : 2));
        long within = random.nextInt(3) == 0 ? 500_000 : 20_000_000;
        settle(Settlement.of(charge, actual, name + "-" + asks++, within));
        if (bug == Bug.SETTLED_UNDER_TWO_NAMES && random.nextInt(3) == 0) {
            settle(Settlement.of(charge, actual, name + "-" + asks++, within));
        }
    }

    /** Charges what was used without a reservation. */
    void settleUnreserved(Limit limit, String key) {
        if (canBeSettled(new Charge(limit, key, 1, 0, ""))) {
            settle(new Settlement(limit, key, 0, random.nextInt(4), store.nowMicros, name + "-" + asks++, 20_000_000));
        }
    }

    private void settle(Settlement settlement) {
        if (settlements.size() > REMEMBERED_LEASES) {
            settlements.remove(0);
        }
        settlements.add(settlement);
        hear(store.settle(settlement));
    }

    private <T> T oneOfTheLast(List<T> all) {
        return all.get(all.size() - 1 - random.nextInt(Math.min(4, all.size())));
    }

    private static boolean canBeSettled(Charge charge) {
        return !(charge.limit() instanceof Concurrency) && !(charge.limit() instanceof LeakyBucket);
    }

    void renewOne() {
        List<Charge> held = charges.stream().filter(Charge::isHeld).toList();
        if (!held.isEmpty()) {
            hear(store.renew(held.get(random.nextInt(held.size()))));
        }
    }

    void lease(Limit limit, String key, long wanted, long cap) {
        if (leases.size() > REMEMBERED_LEASES) {
            leases.remove(0); // never ended, as by a killed process
        }
        String id = name + "-" + asks++;
        long askedNanos = nanos();
        StepEvent step = store.lease(id, limit, key, wanted, 1 + random.nextLong(wanted), cap, TTL_MICROS);
        StepEvent.Granted granted = (StepEvent.Granted) step.step();
        if (isLost()) {
            // It will be ended nevertheless: the store knows how much it was.
            leases.add(new Lease(id, limit, key, 0, askedNanos));
            return;
        }
        events.add(step);
        if (granted.granted() > 0) {
            long ends = askedNanos + (granted.endsMicros() - step.atMicros()) * 1_000;
            leases.add(new Lease(id, limit, key, granted.granted(), ends));
        }
    }

    /** Admits a request on a lease, if the store admits the rest of its demands. */
    void spend(List<Demand> rest) {
        for (Lease lease : leases) {
            boolean late = bug == Bug.LEASE_SPENT_LATE;
            boolean over = bug == Bug.LEASE_OVERSPENT && lease.permits > 0;
            boolean shares = rest.stream().anyMatch(demand -> SimulatedStore.name(demand.limit(), demand.key())
                    .equals(lease.count()));
            if ((lease.spent < lease.permits || over) && (nanos() < lease.endsNanos || late) && !shares) {
                spend(lease, rest);
                return;
            }
        }
    }

    private void spend(Lease lease, List<Demand> rest) {
        String id = nextAsk();
        lease.spent++;
        boolean alone = rest.isEmpty();
        events.add(new SpendEvent(id, lease.count(), lease.id, 1, alone, 0, nanos(), lease.endsNanos, wall()));
        boolean allowed = true;
        if (!alone) {
            List<StepEvent> steps =
                    store.decide(List.of(rest), List.of(id), true, wall()).get(0);
            if (isLost()) {
                putBack(lease, id);
                return;
            }
            heard(rest, id, true, steps, nanos());
            allowed = Simulation.allowed(steps);
        }
        if (!allowed) {
            putBack(lease, id);
        }
        if (!alone) {
            events.add(Simulation.told(id, rest.size() + 1, allowed, AnswerEvent.Source.LEASE, null, nanos(), wall()));
        }
        if (allowed && random.nextInt(10) == 0) {
            putBack(lease, id);
        }
    }

    private void putBack(Lease lease, String id) {
        lease.spent--;
        events.add(new UnspendEvent(id, lease.count(), lease.id, 1, nanos(), lease.endsNanos, wall()));
    }

    void endOne() {
        if (leases.isEmpty()) {
            return;
        }
        Lease lease = leases.remove(random.nextInt(leases.size()));
        long told = bug == Bug.LEASE_RETURNS_SPENT ? Math.max(0, lease.spent - 1) : lease.spent;
        boolean again = isLost() || bug == Bug.LEASE_ENDED_TWICE;
        StepEvent step = store.end(lease.id, lease.limit, lease.key, told);
        if (!again || random.nextBoolean()) {
            events.add(step);
        }
        if (again) {
            hear(store.end(lease.id, lease.limit, lease.key, told));
        }
    }

    private void hear(@Nullable StepEvent step) {
        if (!isLost() && step != null) {
            events.add(step);
        }
    }

    /** Returns whether an answer gets lost. */
    private boolean isLost() {
        return bug == Bug.NONE && random.nextInt(25) == 0;
    }

    private String nextAsk() {
        return Integer.toString(asks++);
    }

    private long nanos() {
        return elapsedMicros.getAsLong() * 1_000 + offsetNanos;
    }

    private long wall() {
        return wallMicros + elapsedMicros.getAsLong();
    }
}
