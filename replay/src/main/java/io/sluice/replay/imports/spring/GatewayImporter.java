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
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rules from {@code RequestRateLimiter} filters of Spring Cloud Gateway with its limiter on Redis.
 *
 * <p>The original reads the time of Redis in whole seconds. It adds all permits of a second when the second begins, so it may admit up to
 * one second of the rate earlier than a token bucket.
 */
public final class GatewayImporter implements Importer {

    private static final ForeignFormat FORMAT =
            new ForeignFormat("Spring Cloud Gateway", "routes and RequestRateLimiter below spring.cloud.gateway");

    @Override
    public Imported read(ForeignFile file) throws ImportRefusedException {
        return SpringFile.convert(file, FORMAT, GatewayImporter::convert);
    }

    private static void convert(Section root, DocumentDraft draft) {
        Optional<Section> cloud = root.path("spring", "cloud", "gateway");
        List<Section> places = new ArrayList<>();
        cloud.ifPresent(places::add);
        cloud.flatMap(section -> section.path("server", "webflux")).ifPresent(places::add);
        for (Section place : places) {
            List<YamlValue> defaults = place.items("default-filters").stream()
                    .filter(filter -> isLimiter(filter, place))
                    .toList();
            boolean denies = place.path("filter", "request-rate-limiter")
                    .map(filter -> filter.flag("deny-empty-key", true))
                    .orElse(true);
            int number = 0;
            for (Section route : place.sections("routes")) {
                String id = route.text("id", "route-" + ++number);
                List<YamlValue> filters = new ArrayList<>(defaults);
                filters.addAll(route.items("filters"));
                List<Section> limiters = new ArrayList<>();
                filters.forEach(filter -> arguments(filter, route, draft).ifPresent(limiters::add));
                limiters(limiters, id, route, draft, denies);
            }
            if (place.sections("routes").isEmpty() && !defaults.isEmpty()) {
                draft.warn(
                        place.place("default-filters"),
                        "default-filters: this file has no routes, so no rules come from its filters");
            }
        }
        if (cloud.flatMap(section -> section.path("mvc")).isPresent()
                || cloud.flatMap(section -> section.path("server", "webmvc")).isPresent()) {
            draft.warn(root.place(), "gateway: filters of Spring Cloud Gateway MVC are not read");
        }
    }

    private static boolean isLimiter(YamlValue filter, Section place) {
        return filter instanceof YamlScalar shortcut
                ? shortcut.text().startsWith("RequestRateLimiter")
                : Section.relaxed(filter, place.errors())
                        .filter(full -> full.text("name", "").equals("RequestRateLimiter"))
                        .isPresent();
    }

    /** Returns the arguments of a limiter; empty if the filter is not a limiter or has no arguments. */
    private static Optional<Section> arguments(YamlValue value, Section route, DocumentDraft draft) {
        if (value instanceof YamlScalar shortcut) {
            if (shortcut.text().startsWith("RequestRateLimiter")) {
                draft.warn(
                        shortcut.place(),
                        "filter: " + PrintableText.text(shortcut.text())
                                + " takes its numbers from beans; add the rule by hand");
            }
            return Optional.empty();
        }
        Optional<Section> limiter = Section.relaxed(value, route.errors())
                .filter(filter -> filter.text("name", "").equals("RequestRateLimiter"));
        Optional<Section> arguments = limiter.flatMap(filter -> filter.section("args"));
        if (limiter.isPresent() && arguments.isEmpty()) {
            draft.warn(limiter.get().place(), "filter: has no args; add the rule by hand");
        }
        return arguments;
    }

    /**
     * Writes the rules of a route. The original keeps the numbers of its limiter by route, so the last numbers apply to all limiters of the
     * route, including the limiters of {@code default-filters}. Limiters with the same key use the same count.
     */
    private static void limiters(
            List<Section> limiters, String id, Section route, DocumentDraft draft, boolean denies) {
        Optional<Section> numbers = Optional.empty();
        Map<String, List<Section>> keys = new LinkedHashMap<>();
        for (Section arguments : limiters) {
            if (arguments.has("rate-limiter")) {
                draft.rule(id, arguments.place())
                        .warn("rate-limiter: takes its numbers from a bean; add the rule by hand");
                continue;
            }
            Optional<Section> own = arguments.section("redis-rate-limiter");
            numbers = own.isPresent() ? own : numbers;
            keys.computeIfAbsent(arguments.text("key-resolver", ""), any -> new ArrayList<>())
                    .add(arguments);
        }
        for (List<Section> same : keys.values()) {
            Section arguments = same.get(same.size() - 1);
            RuleDraft rule = draft.rule(id, arguments.place());
            if (numbers.isEmpty()) {
                rule.warn("rate-limiter: takes its numbers from a bean; add the rule by hand");
                continue;
            }
            boolean refuses = arguments.has("deny-empty-key") ? arguments.flag("deny-empty-key", true) : denies;
            RoutePredicates.apply(route, rule, draft);
            limit(numbers.get(), key(arguments, rule), refuses, same.size(), rule);
            if (limiters.size() > 1) {
                rule.warn("filters: the route has " + limiters.size()
                        + " limiters. In the original the numbers of the last one hold for all of them, and a request takes"
                        + " permits in each; so it does here, but a refused request takes none");
            }
        }
    }

    private static void limit(Section redis, String by, boolean refuses, int times, RuleDraft rule) {
        long rate = redis.whole("replenishRate", 1);
        long burst = redis.whole("burstCapacity", 1);
        long cost = times * Math.max(1, redis.whole("requestedTokens", 1));
        rule.limit(LimitDraft.by(List.of(by))
                .absent(refuses ? "refuse" : "skip")
                .tokenBucket(Amounts.rate(rate, Duration.ofSeconds(cost)), burst / cost));
        if (burst % cost != 0) {
            rule.warn("requestedTokens: " + cost + " does not divide burstCapacity: " + burst
                    + "; the burst here is rounded down to whole requests, less than one request below the original");
        }
        if (2 * burst < rate) {
            rule.warn(
                    "burstCapacity: less than half of replenishRate, so the original keeps its counts for 0 seconds and"
                            + " refuses nothing; the rule does limit");
        } else {
            rule.warn("the original adds the permits of a second at once when a second of Redis begins; "
                    + Difference.ofSteps(ceil(rate, cost)));
        }
        rule.comment("the original lets requests pass while Redis fails: on_failure is open")
                .onFailure("open");
    }

    private static long ceil(long rate, long cost) {
        return (rate + cost - 1) / cost;
    }

    private static String key(Section arguments, RuleDraft rule) {
        Optional<String> resolver = arguments.text("key-resolver");
        if (resolver.isEmpty() || resolver.get().contains("principalNameKeyResolver")) {
            return "user";
        }
        Optional<String> guess = SpringKeys.ofBean(resolver.get());
        rule.warn("key-resolver: " + PrintableText.text(resolver.get()) + " is code; by is "
                + (guess.isPresent()
                        ? "guessed from its name"
                        : "user because nothing is known of it, and the rule is in shadow")
                + ": check it");
        if (guess.isEmpty()) {
            rule.shadow();
        }
        return guess.orElse("user");
    }
}
