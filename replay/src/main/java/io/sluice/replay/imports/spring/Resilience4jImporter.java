package io.sluice.replay.imports.spring;

import io.sluice.replay.imports.draft.Amounts;
import io.sluice.replay.imports.draft.Difference;
import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ForeignFormat;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.replay.imports.draft.Importer;
import io.sluice.replay.imports.draft.LimitDraft;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.replay.imports.draft.Section;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Rules from the rate limiters and bulkheads of Resilience4j. Code names them, so they become rules {@code for: code} in {@code
 * mode: local}.
 */
public final class Resilience4jImporter implements Importer {

    private static final ForeignFormat FORMAT =
            new ForeignFormat("Resilience4j", "resilience4j.ratelimiter or resilience4j.bulkhead");

    private static final long LIMIT = 50;
    private static final Duration PERIOD = Duration.ofNanos(500);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long CALLS = 25;
    private static final Duration SHORTEST = Duration.ofNanos(1_000);
    private static final Duration CALL_TTL = Duration.ofHours(1);

    @Override
    public Imported read(ForeignFile file) throws ImportRefusedException {
        return SpringFile.convert(file, FORMAT, Resilience4jImporter::convert);
    }

    private static void convert(Section root, DocumentDraft draft) {
        for (String prefix : List.of("ratelimiter", "bulkhead", "thread-pool-bulkhead")) {
            Optional<Section> kind = root.path("resilience4j", prefix);
            Optional<Section> instances =
                    kind.flatMap(section -> section.section("instances").or(() -> section.section("backends")));
            if (instances.isEmpty()) {
                continue;
            }
            for (YamlScalar name : instances.get().keys()) {
                instances.get().section(name.text()).ifPresent(instance -> {
                    Settings settings = new Settings(instance, configuration(kind.get(), instance));
                    switch (prefix) {
                        case "ratelimiter" -> rateLimiter(draft.rule(name.text(), name.place()), settings);
                        case "bulkhead" -> bulkhead(draft.rule(name.text() + "-bulkhead", name.place()), settings);
                        default ->
                            draft.warn(
                                    name.place(),
                                    "thread-pool-bulkhead: a pool of threads with a queue cannot be said; add a concurrency"
                                            + " limit by hand");
                    }
                });
            }
        }
    }

    private static Optional<Section> configuration(Section kind, Section instance) {
        return kind.path("configs").flatMap(configs -> configs.section(instance.text("base-config", "default")));
    }

    /** The settings of an instance, and the settings that it inherits. */
    private record Settings(Section own, Optional<Section> inherited) {

        long whole(String key, long otherwise) {
            return own.whole(key)
                    .or(() -> inherited.flatMap(section -> section.whole(key)))
                    .orElse(otherwise);
        }

        Duration span(String key, Duration otherwise) {
            Section section = own.has(key) ? own : inherited.orElse(own);
            Optional<String> text = section.text(key);
            if (text.isEmpty()) {
                return otherwise;
            }
            Optional<Duration> span = Amounts.parse(text.get(), Duration.ofMillis(1));
            if (span.isEmpty()) {
                section.refuse(key, text.get(), "a duration such as 500ms or 1s");
            }
            return span.orElse(otherwise);
        }
    }

    private static void rateLimiter(RuleDraft rule, Settings settings) {
        long limit = settings.whole("limit-for-period", LIMIT);
        Duration period = settings.span("limit-refresh-period", PERIOD);
        Duration timeout = settings.span("timeout-duration", TIMEOUT);
        rule.forCode().local();
        if (period.compareTo(SHORTEST) < 0) {
            rule.warn("limit-refresh-period: " + period.toNanos()
                    + " ns is shorter than the shortest window of 1us, and limits next to nothing; no rule is written");
            return;
        }
        rule.limit(LimitDraft.by(List.of()).fixedWindow(limit, period));
        rule.warn(Difference.ofWindows("when the limiter is made", limit, period));
        if (!timeout.isZero()) {
            rule.comment("timeout-duration: the original waits up to " + Amounts.span(timeout)
                    + " for a permit; wait in code with Limiter.acquire, or maxWait of @RateLimited");
        }
    }

    private static void bulkhead(RuleDraft rule, Settings settings) {
        rule.forCode()
                .local()
                .limit(LimitDraft.by(List.of()).concurrency(settings.whole("max-concurrent-calls", CALLS), CALL_TTL))
                .comment("a permit is given up after " + Amounts.span(CALL_TTL) + " (ttl) if its holder died");
        if (!settings.span("max-wait-duration", Duration.ZERO).isZero()) {
            rule.comment("max-wait-duration: wait in code with Limiter.acquire");
        }
    }
}
