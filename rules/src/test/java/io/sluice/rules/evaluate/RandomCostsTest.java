package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.cost.Reserve;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random calls by random rules with costs, compared with plain sums. All limits are windows that do not end. */
final class RandomCostsTest {

    private static final String RULES = """
            rules:
              - id: here
                mode: local
                limits:
                  - { id: t, by: key, algorithm: fixed_window, limit: 50, window: 1h, cost: { reserve: json.n, default: 3, settle: answer.status } }
                overrides:
                  - { when: { plan: batch }, keep: 20% }
                  - { when: { plan: large }, limit: 80 }
              - id: there
                limits:
                  - { id: calls, algorithm: fixed_window, limit: 60, window: 1h }
                  - { id: t, by: key, algorithm: fixed_window, limit: 70, window: 1h, cost: { reserve: json.m, settle: answer.header.x } }
                overrides: [{ when: { plan: batch }, of: t, keep: 7 }]
              - id: shadow
                shadow: true
                limits:
                  - { id: t, by: key, algorithm: fixed_window, limit: 30, window: 1h, cost: { reserve: json.n, settle: answer.status } }
                  - { id: calls, algorithm: fixed_window, limit: 40, window: 1h }
              - id: tried
                limits: [{ id: l, algorithm: fixed_window, limit: 90, window: 1h, cost: { reserve: json.m } }]
                candidate: [{ id: t, algorithm: fixed_window, limit: 20, window: 1h, cost: { reserve: json.n, settle: answer.status } }]
              - id: used
                limits: [{ id: u, by: key, algorithm: fixed_window, limit: 50, window: 1h, cost: { charge: always } }]
            """;

    private static final Duration SOON = Duration.ofSeconds(1);

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
    private final Limiter shared = new Limiter(new LocalEngine(clock), clock, List.of());
    private final RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("test", RULES)).rules());
    private final Evaluator evaluator =
            new Evaluator(() -> set, local, shared, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {});

    /** What is used of each count. */
    private final Map<String, Long> used = new TreeMap<>();

    private final Random random = new Random();

    /** The demands of a call on one count. */
    private static final class Wanted {
        private final RuleLimit limit;
        private final String count;
        private long permits;
        private long keep;
        private long capacity = Long.MAX_VALUE;

        Wanted(RuleLimit limit, String count) {
            this.limit = limit;
            this.count = count;
        }

        boolean fits(long used) {
            return used + (permits == 0 ? Math.max(1, keep) : permits + keep) <= capacity;
        }

        boolean isUsage() {
            return limit.cost().orElse(null) instanceof Cost.Always;
        }

        boolean isReserved(boolean reserves) {
            return !isUsage()
                    && (reserves || limit.cost().flatMap(Cost::settling).isPresent());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyCountHasWhatWasReallyUsed(long seed) {
        random.setSeed(seed);
        List<Reservation> open = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    Reservation made = call();
                    if (made != null) {
                        open.add(made);
                    }
                }
                case 2 -> settle(open);
                default -> {
                    if (random.nextInt(30) == 0) {
                        used.clear();
                        open.clear();
                        clock.advance(Duration.ofHours(1));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void anExplanationAndALookSayWhatTheRequestGets(long seed) {
        random.setSeed(seed);
        for (int i = 0; i < 1_000; i++) {
            Attributes request = request();
            long permits = 1L + random.nextInt(2);
            Ruling.Settled explained = settled(evaluator
                    .explain(request, permits)
                    .toCompletableFuture()
                    .join()
                    .ruling());
            Ruling.Settled looked =
                    settled(evaluator.evaluate(request, 0).toCompletableFuture().join());
            Ruling.Settled ruled = settled(
                    evaluator.evaluate(request, permits).toCompletableFuture().join());

            assertThat(explained.allowed()).isEqualTo(ruled.allowed());
            assertThat(explained.shadowRefused()).isEqualTo(ruled.shadowRefused());
            if (permits == 1) {
                assertThat(looked.allowed() || isUsedUp(looked)).isEqualTo(ruled.allowed() || isUsedUp(looked));
            }
            if (ruled.allowed()) {
                Ruling.Reported expected = Objects.requireNonNull(ruled.reported());
                assertThat(Objects.requireNonNull(explained.reported()).id()).isEqualTo(expected.id());
                assertThat(explained.reported().remaining()).isEqualTo(expected.remaining());
                assertThat(ruled.costs())
                        .extracting(each -> each.id() + " " + each.remaining())
                        .containsAll(explained.costs().stream()
                                .map(each -> each.id() + " " + each.remaining())
                                .toList());
            }
            if (i % 50 == 49) {
                clock.advance(Duration.ofHours(1));
            }
        }
    }

    /** A look refuses if usage is owed, and a request does not. */
    private static boolean isUsedUp(Ruling.Settled looked) {
        return looked.costs().stream().anyMatch(each -> each.id().equals("used.u") && each.remaining() == 0);
    }

    private static Ruling.Settled settled(Ruling ruling) {
        return (Ruling.Settled) ruling;
    }

    private Attributes request() {
        Map<String, String> request = new HashMap<>();
        request.put("key", random.nextBoolean() ? "p" : "q");
        request.put("plan", List.of("top", "batch", "large").get(random.nextInt(3)));
        if (random.nextInt(5) > 0) {
            request.put("json.n", "" + random.nextInt(9));
        }
        if (random.nextInt(5) > 0) {
            request.put("json.m", "" + random.nextInt(9));
        }
        return Attributes.of(request);
    }

    private @Nullable Reservation call() {
        boolean mayReserve = random.nextInt(3) == 0;
        List<RuleCall> claims = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            Rule rule = set.rules().get(random.nextInt(set.rules().size()));
            claims.add(new RuleCall(rule, request(), 1 + random.nextInt(4), mayReserve && random.nextBoolean()));
        }
        boolean reserves = claims.stream().anyMatch(RuleCall::reserves);
        Map<String, Wanted> live = new LinkedHashMap<>();
        Map<String, Map<String, Wanted>> shadows = new LinkedHashMap<>();
        Map<String, Wanted> usage = new LinkedHashMap<>();
        for (RuleCall claim : claims) {
            want(claim, live, shadows, usage);
        }
        boolean impossible =
                live.values().stream().anyMatch(each -> each.limit.cost().isEmpty() && each.permits > each.capacity);
        boolean allowed = live.values().stream().allMatch(each -> each.fits(used(each)));
        Ruling ruling = evaluator.evaluateNamed(claims).toCompletableFuture().join();
        if (impossible) {
            assertThat(ruling).isInstanceOf(Ruling.Impossible.class);
            return null;
        }
        Ruling.Settled settled = settled(ruling);
        assertThat(settled.allowed()).as("%s with %s", shown(claims), used).isEqualTo(allowed);
        assertThat(settled.shadowRefused())
                .extracting(Label::limit)
                .as("%s with %s", shown(claims), used)
                .containsExactlyInAnyOrderElementsOf(shadows.values().stream()
                        .flatMap(group -> group.values().stream())
                        .filter(each -> !each.fits(used(each)))
                        .map(each -> each.limit.id())
                        .toList());
        Map<String, Long> reserved = new TreeMap<>();
        if (allowed) {
            live.values().forEach(each -> charge(each, reserves, reserved));
            for (Map<String, Wanted> group : shadows.values()) {
                if (group.values().stream().allMatch(each -> each.fits(used(each)))) {
                    group.values().forEach(each -> charge(each, reserves, reserved));
                }
            }
            usage.values().forEach(each -> charge(each, reserves, reserved));
        }
        List<String> left = new ArrayList<>();
        for (Map<String, Wanted> group : List.of(live, allowed ? usage : Map.<String, Wanted>of())) {
            group.values().stream()
                    .filter(each -> each.limit.cost().isPresent())
                    .forEach(each -> left.add(each.limit.id() + " " + Math.max(0, each.capacity - used(each))));
        }
        List<String> told = settled.costs().stream()
                .map(each -> each.id() + " " + each.remaining())
                .toList();
        assertThat(left).as("%s with %s", shown(claims), used).containsAll(told);
        if (allowed) {
            assertThat(told).hasSameSizeAs(left);
        }
        Reservation reservation = settled.reservation();
        Map<String, Long> made = new TreeMap<>();
        for (ReservedLimit limit : reservation == null ? List.<ReservedLimit>of() : reservation.limits()) {
            assertThat(made.put(limit.id() + " " + limit.key(), limit.reserved()))
                    .isNull();
        }
        assertThat(made).as("%s with %s", shown(claims), used).isEqualTo(reserved);
        if (allowed && random.nextInt(10) == 0 && shadows.isEmpty() && usage.isEmpty()) {
            evaluator.giveBack(settled).toCompletableFuture().join();
            live.values().forEach(each -> used.merge(each.count, -each.permits, Long::sum));
            return null;
        }
        return reservation;
    }

    private static List<String> shown(List<RuleCall> claims) {
        return claims.stream()
                .map(claim -> claim.rule().id() + " " + claim.permits() + " "
                        + List.of("key", "plan", "json.n", "json.m").stream()
                                .map(name -> name + "=" + claim.request().get(name))
                                .toList())
                .toList();
    }

    private long used(Wanted each) {
        return used.getOrDefault(each.count, 0L);
    }

    private void charge(Wanted each, boolean reserves, Map<String, Long> reserved) {
        used.merge(each.count, each.permits, Long::sum);
        if (each.isReserved(reserves)) {
            reserved.put(each.count, each.permits);
        }
    }

    private static void want(
            RuleCall claim,
            Map<String, Wanted> live,
            Map<String, Map<String, Wanted>> shadows,
            Map<String, Wanted> usage) {
        Rule rule = claim.rule();
        for (RuleLimit limit : rule.limits()) {
            Map<String, Wanted> group = limit.cost().orElse(null) instanceof Cost.Always
                    ? usage
                    : rule.shadow() ? shadows.computeIfAbsent(rule.id(), id -> new LinkedHashMap<>()) : live;
            want(claim, limit, group);
        }
        for (RuleLimit limit : rule.candidate()) {
            want(claim, limit, shadows.computeIfAbsent(rule.id() + " candidate", id -> new LinkedHashMap<>()));
        }
    }

    private static void want(RuleCall claim, RuleLimit limit, Map<String, Wanted> group) {
        long cost = cost(claim, limit);
        if (cost == 0
                && !claim.reserves()
                && limit.cost().flatMap(Cost::settling).isEmpty()) {
            return;
        }
        String plan = Objects.requireNonNull(claim.request().get("plan"));
        String key = limit.by().isEmpty() ? "" : "key=" + claim.request().get("key");
        String count = limit.id() + " " + key;
        Wanted wanted = group.computeIfAbsent(count, id -> new Wanted(limit, count));
        wanted.permits += cost;
        boolean isHere = limit.id().equals("here.t");
        long keep = !plan.equals("batch") ? 0 : isHere ? 10 : limit.id().equals("there.t") ? 7 : 0;
        wanted.keep = Math.max(wanted.keep, keep);
        long capacity = isHere && plan.equals("large") ? 80 : limit.limit().capacity();
        wanted.capacity = Math.min(wanted.capacity, capacity);
    }

    private static long cost(RuleCall claim, RuleLimit limit) {
        if (!(limit.cost().orElse(null) instanceof Cost.Reserved reserved)) {
            return claim.permits();
        }
        Reserve.Attribute attribute = (Reserve.Attribute) reserved.reserve();
        String said = claim.request().get(attribute.name());
        return said == null ? attribute.usual().orElse(claim.permits()) : Long.parseLong(said);
    }

    private void settle(List<Reservation> open) {
        if (open.isEmpty()) {
            return;
        }
        Reservation reservation = open.remove(random.nextInt(open.size()));
        Map<String, Long> actual = new HashMap<>();
        for (ReservedLimit limit : reservation.limits()) {
            if (random.nextInt(8) > 0) {
                actual.putIfAbsent(limit.id(), (long) random.nextInt(15));
            }
        }
        for (ReservedLimit limit : reservation.limits()) {
            Long figure = actual.get(limit.id());
            if (figure != null) {
                used.merge(limit.id() + " " + limit.key(), figure - limit.reserved(), Long::sum);
            }
        }
        for (Kind expected : List.of(Kind.SETTLED, Kind.REPEATED)) {
            assertThat(evaluator
                            .settle(reservation, actual, SOON)
                            .toCompletableFuture()
                            .join())
                    .allSatisfy(limit -> assertThat(limit.result().kind()).isEqualTo(expected))
                    .allSatisfy(limit -> assertThat(limit.result().change())
                            .isEqualTo(limit.actual() - limit.limit().reserved()));
        }
    }
}
