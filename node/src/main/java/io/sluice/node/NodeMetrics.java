package io.sluice.node;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.core.LocalEngine;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Label;
import io.sluice.envoy.DomainRules;
import io.sluice.redis.StoreListener;
import io.sluice.redis.StoreVitals;
import io.sluice.rules.Mode;
import io.sluice.rules.Rule;
import io.sluice.rules.RuleSet;
import io.sluice.rules.Ruling;
import io.sluice.rules.RulingListener;
import io.sluice.rules.spi.RuleListener;
import io.sluice.rules.spi.RuleSource;
import io.sluice.rules.yaml.DocumentError;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Names every metric of the node. Safe for use by many threads; on the way of a decision it costs a look-up in a map and two
 * additions.
 *
 * <p>Labels are ids of rules and limits and a few words, nothing that a caller can choose. Requests that no rule matches are
 * counted with empty labels, so that the sum over all series is the number of decisions. Looks are not counted.
 */
final class NodeMetrics implements RulingListener, RuleListener, StoreListener {

    private static final String STORE_CALLS =
            "Calls of the shared store, by what became of them; remembered and guarded: refused without a call";

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

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ConcurrentHashMap<Series, Counter> allowed = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Series, Counter> rejected = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Series, Counter> shadowRejected = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Counter> storeCalls = new ConcurrentHashMap<>();
    private volatile Supplier<RuleSet> rules = RuleSet::none;
    private volatile @Nullable StorePulse pulse;

    /** Held here, because the registry holds what it asks only weakly. */
    @SuppressWarnings("UnusedVariable")
    private volatile LongSupplier droppedLines = () -> 0;

    private volatile Named names = Named.of(RuleSet.none());
    private final Timer duration;
    private final GatewayMetrics gateway = new GatewayMetrics(registry);
    private final Counter ruleErrors;

    NodeMetrics() {
        this.duration = Timer.builder("rate_limit_duration")
                .description("Time from a request's attributes to its decision")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        this.ruleErrors = Counter.builder("rate_limit_rule_errors")
                .description("Rule sets that were refused because of errors")
                .register(registry);
    }

    /**
     * Adds what is read at the moment of a scrape.
     *
     * @param droppedLogLines how many lines of the log were dropped
     */
    void watch(
            RuleSource source,
            LocalEngine counts,
            StoreWatch store,
            @Nullable StorePulse storePulse,
            LongSupplier droppedLogLines) {
        rules = source::latest;
        pulse = storePulse;
        source.listen(this);
        droppedLines = droppedLogLines;
        FunctionCounter.builder("sluice_log_dropped", droppedLogLines, LongSupplier::getAsLong)
                .description("Lines of the log that were dropped, because nobody took them in time")
                .register(registry);
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
        }
        Gauge.builder("rate_limit_leases_outstanding", store, StoreWatch::leased)
                .description("Permits leased from the shared store that can still be spent")
                .register(registry);
        Gauge.builder("rate_limit_breaker_state", () -> store.isAway() ? 1 : 0)
                .description("1 while the shared store is not asked")
                .register(registry);
        Gauge.builder(
                        "rate_limit_degraded_since_seconds",
                        () -> store.awaySince().map(Instant::getEpochSecond).orElse(0L))
                .description("When the shared store was last given up, in seconds since the epoch; 0 while it is asked")
                .register(registry);
        mode("remote", () -> store.exists() && store.degraded() == null);
        for (FailurePolicy policy : FailurePolicy.values()) {
            mode(policy.name().toLowerCase(Locale.ROOT), () -> inForce(policy, source.latest(), store));
        }
    }

    /** Those of the gateway; nothing is shown of them before it is watched. */
    GatewayMetrics gateway() {
        return gateway;
    }

    String scrape() {
        forget(rules.get());
        StringBuilder text = new StringBuilder(registry.scrape());
        StorePulse known = pulse;
        Optional<StoreVitals> vitals = known == null ? Optional.empty() : known.last();
        vitals.ifPresent(now -> {
            gauge(text, "redis_connected_clients", "Clients connected to the shared store", now.connectedClients());
            gauge(text, "redis_used_memory", "Bytes that the data of the shared store take", now.usedMemoryBytes());
        });
        gateway.scrape(text);
        return text.toString();
    }

    /** By hand, because it is there at times and at times not. */
    private static void gauge(StringBuilder text, String name, String help, long value) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(" gauge\n");
        text.append(name).append(' ').append(value).append('\n');
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
        for (Label shadow : ruling.shadowRefused()) {
            counter(
                            shadowRejected,
                            "rate_limit_shadow_rejected",
                            new Series(shadow.rule(), shadow.limit(), shadow.mode()))
                    .increment();
        }
        duration.record(elapsedNanos, TimeUnit.NANOSECONDS);
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

    /** Refusals that needed no call. */
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

    /**
     * Removes the series of rules and limits that are gone. Decisions that were under way may make them once more, so it is done
     * again before they are shown.
     */
    private void forget(RuleSet now) {
        Named named = names;
        if (named.set != now) {
            named = Named.of(now);
            names = named;
        }
        for (ConcurrentHashMap<Series, Counter> counters : List.of(allowed, rejected, shadowRejected)) {
            for (Series series : counters.keySet()) {
                if (!named.knows(series)) {
                    Counter gone = counters.remove(series);
                    if (gone != null) {
                        registry.remove(gone);
                    }
                }
            }
        }
    }

    @Override
    public void refused(List<DocumentError> errors) {
        ruleErrors.increment();
    }

    /** A policy is in force while it decides, and while it would because the store is known to be away. */
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
                .description("Which ways of deciding are in force")
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

    /** What the rules of a set are called, and their limits. */
    private record Named(RuleSet set, Set<String> rules, Set<String> limits) {

        static Named of(RuleSet set) {
            Set<String> rules = new HashSet<>(DomainRules.rules(set));
            Set<String> limits = new HashSet<>(DomainRules.limits(set));
            for (Rule rule : set.rules()) {
                rules.add(rule.id());
                rule.limits().forEach(limit -> limits.add(limit.id()));
                rule.candidate().forEach(limit -> limits.add(limit.id()));
            }
            return new Named(set, rules, limits);
        }

        boolean knows(Series series) {
            return (series.rule.isEmpty() || rules.contains(series.rule))
                    && (series.limit.isEmpty() || limits.contains(series.limit));
        }
    }
}
