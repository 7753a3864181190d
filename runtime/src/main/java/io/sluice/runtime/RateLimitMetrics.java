package io.sluice.runtime;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Label;
import io.sluice.redis.store.StoreListener;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.decisions.DecisionRecorder;
import io.sluice.runtime.decisions.PlaceCounts;
import io.sluice.runtime.durable.DurableQuotas;
import io.sluice.runtime.witness.Witness;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Defines the metrics of every process that decides, in any Micrometer registry. Thread-safe. A decision costs one map lookup and
 * two additions.
 *
 * <p>Labels are the ids of rules and limits and a few fixed words, never a value that a caller can choose. Requests that no rule
 * matches are counted with empty labels, so the sum over all series is the number of decisions. Requests that only look are not
 * counted.
 */
public final class RateLimitMetrics implements RulingListener, RuleListener, StoreListener {

    private static final String STORE_CALLS =
            "Calls to the shared store, by outcome; remembered and guarded are refusals that needed no call, shed"
                    + " decisions that on_failure made because too many calls were waiting";

    private static final int NEAR_PERCENT = 80;

    private static final Duration[] BUCKETS = {
        Duration.ofNanos(10_000),
        Duration.ofNanos(50_000),
        Duration.ofNanos(100_000),
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(20),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofSeconds(1)
    };

    private final MeterRegistry registry;
    private final KnownNames names;
    private final ConcurrentHashMap<Series, Counter> allowed = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Series, Counter> rejected = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Series, Counter> shadowRejected = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Series, Counter> nearLimit = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Counter> storeCalls = new ConcurrentHashMap<>();
    private volatile Supplier<RuleSet> rules = RuleSet::none;
    private final ReservationMetrics reservations;
    private final Timer duration;
    private final Counter ruleErrors;

    private RateLimitMetrics(MeterRegistry registry, KnownNames names) {
        this.registry = registry;
        this.names = names;
        this.reservations = new ReservationMetrics(registry);
        this.duration = Timer.builder("rate_limit_duration")
                .description("Time from a request's attributes to its decision")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        this.ruleErrors = Counter.builder("rate_limit_rule_errors")
                .description("Rule sets that were refused because of errors")
                .register(registry);
    }

    /**
     * Creates the metrics of a process whose rules all come from rule sets. Series of other rules are removed.
     *
     * @param moreRules returns names that a set uses for rules beyond those of its own rules
     * @param moreLimits returns names that a set uses for limits beyond those of its rules
     */
    public static RateLimitMetrics ofSets(
            MeterRegistry registry,
            Function<RuleSet, Set<String>> moreRules,
            Function<RuleSet, Set<String>> moreLimits) {
        return new RateLimitMetrics(
                registry,
                new KnownNames((set, known) -> known.add(moreRules.apply(set), moreLimits.apply(set)), false));
    }

    /** Creates the metrics of a process that also has rules in code. Series are removed when a rule set drops their rules. */
    public static RateLimitMetrics ofSetsAndCode(MeterRegistry registry) {
        return new RateLimitMetrics(registry, new KnownNames((set, known) -> {}, true));
    }

    /**
     * Adds the gauges that are read on each scrape. The registry does not keep their sources reachable; the caller must.
     */
    public void watch(RuleSource source, LocalEngine counts, StoreWatch store) {
        rules = source::latest;
        source.listen(this);
        Gauge.builder("rate_limit_rule_version", source, s -> s.latest().version())
                .description("Version of the rules in force")
                .register(registry);
        Gauge.builder("rate_limit_keys", counts, LocalEngine::keys)
                .description("Counts held in this process")
                .register(registry);
        if (store.exists()) {
            called("ok", 0);
            spared("remembered", store, StoreWatch::remembered);
            spared("guarded", store, StoreWatch::guarded);
            spared("shed", store, StoreWatch::shed);
        }
        Gauge.builder("rate_limit_leases_outstanding", store, StoreWatch::leased)
                .description("Permits leased from the shared store that can still be spent")
                .register(registry);
        Gauge.builder("rate_limit_breaker_state", () -> store.isAway() ? 1 : 0)
                .description("1 while the shared store is unavailable")
                .register(registry);
        Gauge.builder(
                        "rate_limit_degraded_since_seconds",
                        () -> store.awaySince().map(Instant::getEpochSecond).orElse(0L))
                .description("When the shared store became unavailable, in epoch seconds; 0 while it is available")
                .register(registry);
        mode("remote", () -> store.exists() && store.degraded() == null);
        for (FailurePolicy policy : FailurePolicy.values()) {
            mode(policy.word(), () -> inForce(policy, source.latest(), store));
        }
    }

    /** Adds the figures of the store's servers. They are NaN while the store is unavailable. */
    public void watch(StorePulse pulse) {
        for (StoreFigure figure : StoreFigure.values()) {
            figure.register(registry, pulse);
        }
    }

    /** Adds metrics of the part of the center's audit log that this process holds. The caller must keep the witness reachable. */
    public void watch(Witness witness) {
        Gauge.builder("rate_limit_audit_size", witness, Witness::size)
                .description("Rows of the audit log that this process has witnessed")
                .register(registry);
        Gauge.builder("rate_limit_audit_refused", witness, w -> w.isRefusing() ? 1 : 0)
                .description("1 while this process refuses the audit log that the center shows")
                .register(registry);
        Gauge.builder("rate_limit_audit_age_seconds", witness, RateLimitMetrics::age)
                .description("Age of the newest checkpoint of the audit log; NaN without a checkpoint")
                .register(registry);
    }

    /** Adds the numbers of logged and dropped decisions, by place. The caller must keep the recorder reachable. */
    public void watch(DecisionRecorder recorder) {
        for (PlaceCounts counts : recorder.counts()) {
            FunctionCounter.builder("rate_limit_decisions_logged", counts, PlaceCounts::logged)
                    .description("Decisions that were written to a place of the decision log")
                    .tag("place", counts.place())
                    .register(registry);
            FunctionCounter.builder("rate_limit_decisions_dropped", counts, PlaceCounts::dropped)
                    .description("Decisions that did not reach a place of the decision log, because there was no room")
                    .tag("place", counts.place())
                    .register(registry);
        }
    }

    /** Adds metrics of durable limits. The caller must keep these reachable. */
    public void watch(DurableQuotas durable) {
        Gauge.builder("rate_limit_durable_sums", durable, DurableQuotas::size)
                .description("Sums of durable limits that this process keeps")
                .register(registry);
        Gauge.builder("rate_limit_durable_unwritten", durable, DurableQuotas::unwritten)
                .description("Sums of durable limits that the disk does not have yet")
                .register(registry);
        Gauge.builder("rate_limit_durable_unsent", durable, DurableQuotas::unsent)
                .description("Sums of durable limits that the center does not have yet")
                .register(registry);
        Gauge.builder("rate_limit_durable_refused", durable, DurableQuotas::refused)
                .description(
                        "Sums of durable limits that the center refuses, so that only this process can restore them")
                .register(registry);
        Gauge.builder("rate_limit_durable_restored", durable, d -> d.isRestored() ? 1 : 0)
                .description("0 while durable limits wait for what an earlier store was charged")
                .register(registry);
        FunctionCounter.builder("rate_limit_durable_left_out", durable, DurableQuotas::leftOut)
                .description(
                        "Charges of durable limits that no sum has, because there are too many counts or the key is too long")
                .register(registry);
    }

    private static double age(Witness witness) {
        OptionalLong seconds = witness.ageSeconds();
        return seconds.isPresent() ? seconds.getAsLong() : Double.NaN;
    }

    /**
     * Removes the series of rules and limits that no longer exist. This happens at every change. Decisions in progress may create
     * them once more, so call this again before the metrics are read, if that moment is known.
     */
    public void forget() {
        forget(rules.get());
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        if (ruling.looked()) {
            return;
        }
        Rule rule = ruling.rule();
        Ruling.Reported reported = ruling.reported();
        Series series = new Series(rule == null ? "" : rule.id(), reported == null ? "" : reported.id(), ruling.mode());
        (ruling.allowed()
                        ? counter(allowed, "rate_limit_allowed", series)
                        : counter(rejected, "rate_limit_rejected", series))
                .increment();
        if (ruling.allowed() && reported != null && isNear(reported)) {
            counter(nearLimit, "rate_limit_near_limit", series).increment();
        }
        for (Label shadow : ruling.shadowRefused()) {
            counter(
                            shadowRejected,
                            "rate_limit_shadow_rejected",
                            new Series(shadow.rule(), shadow.limit(), shadow.mode()))
                    .increment();
        }
        Reservation reservation = ruling.reservation();
        if (reservation != null) {
            reservations.made(reservation);
        }
        duration.record(elapsedNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void settled(SettledLimit settled) {
        reservations.settled(settled);
    }

    /** Usage was never reserved, so it settles nothing. */
    @Override
    public void used(SettledLimit usage) {
        // The call that reports usage is counted as a decision.
    }

    @Override
    public void unsettled(Reservation reservation, String reason) {
        reservations.unsettled(reservation, reason);
    }

    /** Returns whether more than {@value #NEAR_PERCENT} % of the limit are used, rounded as Envoy's reference service does. */
    private static boolean isNear(Ruling.Reported reported) {
        long capacity = reported.limit().capacity();
        long used = capacity - reported.remaining();
        return used > capacity / 100 * NEAR_PERCENT + capacity % 100 * NEAR_PERCENT / 100;
    }

    @Override
    public void called(String outcome, int decisions, long nanos) {
        called(outcome, 1);
    }

    private void called(String outcome, int times) {
        Counter counter = storeCalls.get(outcome);
        (counter != null
                        ? counter
                        : storeCalls.computeIfAbsent(outcome, o -> Counter.builder("rate_limit_store_calls")
                                .description(STORE_CALLS)
                                .tag("outcome", o)
                                .register(registry)))
                .increment(times);
    }

    /** Registers a counter of decisions that needed no call. */
    private void spared(String outcome, StoreWatch store, ToDoubleFunction<StoreWatch> count) {
        FunctionCounter.builder("rate_limit_store_calls", store, count)
                .description(STORE_CALLS)
                .tag("outcome", outcome)
                .register(registry);
    }

    @Override
    public void changed(RuleSet rules) {
        forget(rules);
    }

    private void forget(RuleSet now) {
        BiPredicate<String, String> known = names.in(now);
        for (ConcurrentHashMap<Series, Counter> counters : List.of(allowed, rejected, shadowRejected, nearLimit)) {
            for (Series series : counters.keySet()) {
                if (!known.test(series.rule, series.limit)) {
                    counters.computeIfPresent(series, this::remove);
                }
            }
        }
        reservations.forget(known);
    }

    /** Called inside the map's own lock, so that no decision can find a counter that the registry no longer has. */
    private @Nullable Counter remove(Series series, Counter counter) {
        registry.remove(counter);
        return null;
    }

    @Override
    public void refused(List<DocumentError> errors) {
        ruleErrors.increment();
    }

    /** A policy is in force while it decides, and while it would decide because the store is known to be unavailable. */
    private static boolean inForce(FailurePolicy policy, RuleSet rules, StoreWatch store) {
        if (!store.exists()) {
            return policy == FailurePolicy.LOCAL;
        }
        return store.stoodIn(policy)
                || rules.rules().stream()
                        .filter(Rule::enabled)
                        .anyMatch(rule -> rule.handling().mode() == Mode.LOCAL
                                ? policy == FailurePolicy.LOCAL
                                : rule.handling().onFailure() == policy && store.isAway());
    }

    private void mode(String mode, BooleanSupplier inForce) {
        Gauge.builder("rate_limit_mode", () -> inForce.getAsBoolean() ? 1 : 0)
                .description("1 for each way of deciding that is in force")
                .tag("mode", mode)
                .register(registry);
    }

    private Counter counter(ConcurrentHashMap<Series, Counter> counters, String name, Series series) {
        Counter counter = counters.get(series);
        return counter != null
                ? counter
                : counters.computeIfAbsent(series, s -> Counter.builder(name)
                        .description("Decisions, by the limit that was reported")
                        .tag("rule", s.rule)
                        .tag("limit", s.limit)
                        .tag("mode", s.mode)
                        .register(registry));
    }

    private record Series(String rule, String limit, String mode) {}
}
