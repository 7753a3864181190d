package io.sluice.history;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Several nodes on one store, on one thread and with simulated time. Everything happens that happens to real ones: lost answers,
 * killed processes, a store that forgets, clocks that step, limits that change, leases, and reservations that are settled. The same
 * seed gives the same history.
 */
final class Simulation {

    private static final long START = 1_790_000_000_000_000L;

    private static final Demand BEACON =
            Demand.of(Limit.named("beacon").fixedWindow(1_000, Duration.ofDays(1)), "b", 1);

    private final Random random;
    private final Bug bug;
    private final SimulatedStore store;
    private final List<Limit> limits;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<SimulatedNode> living = new ArrayList<>();
    private final Map<String, Limit> inForce = new HashMap<>();

    /** A node that lives to the end, so that nothing it received is lost. */
    private final SimulatedNode watcher;

    private boolean replicated;
    private long elapsedMicros;
    private long steppedMicros;
    private int named;

    private Simulation(long seed, Bug bug) {
        this.random = new Random(seed);
        this.bug = bug;
        this.store = new SimulatedStore(bug, START);
        List<Limit> all = new ArrayList<>(bug == Bug.NONE ? Bug.all() : bug.limits);
        this.limits = bug == Bug.NONE && random.nextBoolean() ? some(all) : all;
        for (int i = 0; i < 3; i++) {
            start();
        }
        this.watcher = node("watcher");
        nodes.add(watcher);
    }

    static History run(long seed, Bug bug, int steps) {
        Simulation simulation = new Simulation(seed, bug);
        for (int i = 0; i < steps; i++) {
            simulation.step();
        }
        return new History(simulation.nodes.stream().map(SimulatedNode::told).toList());
    }

    /** Runs on a store whose replica takes over now and then without the last steps. Clocks agree. */
    static History runReplicated(long seed, int steps) {
        Simulation simulation = new Simulation(seed, Bug.NONE);
        simulation.replicated = true;
        simulation.store.replicate();
        simulation.watcher.askAndHear(BEACON);
        for (int i = 0; i < steps; i++) {
            simulation.step();
            if (simulation.random.nextInt(steps / 2) == 0) {
                simulation.failOver();
            }
        }
        return new History(simulation.nodes.stream().map(SimulatedNode::told).toList());
    }

    /** Makes sure that at least one lost step, and a later one on the same count, are recorded. */
    private void failOver() {
        watcher.askAndHear(BEACON);
        store.failOver(1 + random.nextInt(12));
        pass();
        watcher.askAndHear(BEACON);
    }

    private void step() {
        pass();
        SimulatedNode node = anyNode();
        int what = random.nextInt(100);
        if (what < 55) {
            ask(node);
        } else if (what < 63 && bug.hasSettlements() && random.nextInt(3) > 0) {
            settle(node);
        } else if (what < 63) {
            node.giveBackOne();
        } else if (what < 66) {
            node.renewOne();
        } else if (what < 78) {
            lease(node);
        } else if (what < 88) {
            spend(node);
        } else if (what < 93) {
            node.endOne();
        } else if (what < 96) {
            change();
        } else if (what < 98) {
            stepClock();
        } else if (random.nextInt(4) == 0 && bug == Bug.NONE) {
            disaster(node);
        }
    }

    /** Mostly busy, with pauses in which things end. */
    private void pass() {
        long most = bug == Bug.EDGE_OF_THE_WINDOW
                ? 12
                : random.nextInt(12) == 0 ? 3_000_000 : random.nextInt(3) == 0 ? 200_000 : 2_000;
        elapsedMicros += 1 + random.nextLong(most);
        store.nowMicros = START + elapsedMicros + steppedMicros;
    }

    private void ask(SimulatedNode node) {
        boolean charging = random.nextInt(10) > 0;
        int together = bug == Bug.NON_ATOMIC ? 2 : 1;
        List<List<Demand>> asks = new ArrayList<>();
        List<Demand> first = demands(1 + random.nextInt(Math.min(3, limits.size())));
        for (int i = 0; i < together; i++) {
            asks.add(first);
        }
        if (charging && node.refusesFromMemory(first)) {
            return;
        }
        node.ask(asks, charging);
    }

    private List<Demand> demands(int size) {
        List<Limit> chosen = some(limits);
        List<Demand> demands = new ArrayList<>();
        for (Limit limit : chosen.subList(0, Math.min(size, chosen.size()))) {
            demands.add(demand(limit));
        }
        return demands;
    }

    private Demand demand(Limit limit) {
        Limit current = inForce.getOrDefault(limit.name(), limit);
        long permits = 1 + random.nextLong(random.nextInt(5) == 0 ? 4 : 1);
        long wait = current.maxWaitMicros() == 0 || random.nextInt(3) == 0 ? 0 : current.maxWaitMicros();
        String holder = current instanceof Concurrency ? "h" + named++ : "";
        Demand demand = Demand.of(current, "k" + random.nextInt(2), permits)
                .orAtLeast(1 + random.nextLong(permits))
                .waitingUpTo(wait)
                .heldBy(holder);
        if (!bug.hasSettlements() || random.nextInt(3) > 0) {
            return demand;
        }
        Demand keeping = demand.keeping(1 + random.nextInt(4));
        return random.nextInt(4) == 0 && !(current instanceof Concurrency) ? keeping.permits(0) : keeping;
    }

    private void settle(SimulatedNode node) {
        if (random.nextInt(8) == 0) {
            Limit limit = limits.get(random.nextInt(limits.size()));
            node.settleUnreserved(inForce.getOrDefault(limit.name(), limit), "k" + random.nextInt(2));
        } else {
            node.settleOne();
        }
    }

    private void lease(SimulatedNode node) {
        Limit limit = limits.get(random.nextInt(limits.size()));
        Limit current = inForce.getOrDefault(limit.name(), limit);
        if (!(current instanceof Concurrency) && !(current instanceof SlidingLog) && current.capacity() > 1) {
            node.lease(current, "k" + random.nextInt(2), 1 + random.nextLong(4), Math.max(2, current.capacity() / 2));
        }
    }

    private void spend(SimulatedNode node) {
        node.spend(random.nextInt(3) == 0 ? demands(1) : List.of());
    }

    /** Changes the numbers of a limit; its shape stays. */
    private void change() {
        if (bug != Bug.NONE && !bug.needsChanges()) {
            return;
        }
        Limit limit = limits.get(random.nextInt(limits.size()));
        Limit.Named name = Limit.named(limit.name());
        long size = random.nextInt(12);
        Rate rate = new Rate(random.nextInt(9), Duration.ofMillis(1 + random.nextInt(2_000)));
        Duration window = Duration.of(Math.max(1, limit.windowMicros()), ChronoUnit.MICROS);
        Limit next = limit;
        if (limit instanceof TokenBucket bucket) {
            next = name.tokenBucket(rate)
                    .withBurst(size)
                    .withMaxWait(Duration.of(bucket.maxWaitMicros(), ChronoUnit.MICROS));
        } else if (limit instanceof LeakyBucket) {
            next = name.leakyBucket(rate).withCapacity(size);
        } else if (limit instanceof FixedWindow) {
            next = name.fixedWindow(size, window);
        } else if (limit instanceof SlidingWindow sliding) {
            next = new SlidingWindow(limit.name(), size, window, sliding.slices(), random.nextInt(5) == 0);
        } else if (limit instanceof SlidingLog) {
            next = name.slidingLog(size, window);
        } else if (limit instanceof Concurrency) {
            next = name.concurrency(size, Duration.ofMillis(500 + random.nextInt(3_000)));
        }
        inForce.put(limit.name(), random.nextInt(4) == 0 ? limit : next);
    }

    private void stepClock() {
        boolean steps = (bug == Bug.NONE && !replicated) || bug == Bug.MISSING_CLAMP || bug == Bug.CREDIT_AFTER_REBASE;
        if (steps) {
            long most = random.nextBoolean() && bug != Bug.CREDIT_AFTER_REBASE ? 900_000 : 8_000_000;
            steppedMicros += random.nextLong(2 * most) - most * 3 / 2;
        }
    }

    private void disaster(SimulatedNode node) {
        if (random.nextInt(3) == 0) {
            store.empty();
            if (replicated) {
                watcher.askAndHear(BEACON);
            }
        } else {
            node.kill();
            living.remove(node);
            start();
        }
    }

    private void start() {
        SimulatedNode node = node("n" + nodes.size());
        nodes.add(node);
        living.add(node);
    }

    private SimulatedNode node(String name) {
        return new SimulatedNode(name, store, bug, random, () -> elapsedMicros, START);
    }

    private SimulatedNode anyNode() {
        return living.get(random.nextInt(living.size()));
    }

    private <T> List<T> some(List<T> all) {
        List<T> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, random);
        return shuffled.subList(0, 1 + random.nextInt(shuffled.size()));
    }

    /** Returns the answer that a caller receives. */
    static AnswerEvent told(
            String ask,
            int demands,
            boolean allowed,
            AnswerEvent.Source source,
            String refusing,
            long nanos,
            long micros) {
        return new AnswerEvent(ask, demands, true, allowed, source, null, refusing, 1, 1, nanos, micros);
    }

    static boolean allowed(List<StepEvent> steps) {
        return steps.stream()
                .allMatch(step -> ((StepEvent.Asked) step.step()).verdict().fits());
    }
}
