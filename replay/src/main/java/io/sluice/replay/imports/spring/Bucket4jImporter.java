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
import io.sluice.replay.imports.draft.SimpleRegex;
import io.sluice.rules.yaml.PrintableText;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Rules from the filters of bucket4j-spring-boot-starter.
 *
 * <p>A bandwidth with a greedy refill is a token bucket. An interval refill returns all permits together, one interval after the bucket was
 * created. This is a fixed window that begins with the first request of a caller.
 */
public final class Bucket4jImporter implements Importer {

    private static final ForeignFormat FORMAT =
            new ForeignFormat("bucket4j-spring-boot-starter", "bucket4j.filters or bucket4j.methods");

    private static final Map<String, Duration> UNITS = Map.of(
            "nanos", Duration.ofNanos(1),
            "micros", Duration.ofNanos(1_000),
            "millis", Duration.ofMillis(1),
            "seconds", Duration.ofSeconds(1),
            "minutes", Duration.ofMinutes(1),
            "hours", Duration.ofHours(1),
            "halfdays", Duration.ofHours(12),
            "days", Duration.ofDays(1));

    private static final String EVERY_URL = ".*";
    private static final String QUERY = "query.";
    private static final String CONSTANT_KEY = "1";
    private static final long UNLIMITED = 1_000_000_000;
    private static final long MOST_TOKENS = 1_000_000;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    @Override
    public Imported read(ForeignFile file) throws ImportRefusedException {
        return SpringFile.convert(file, FORMAT, Bucket4jImporter::convert);
    }

    private static void convert(Section root, DocumentDraft draft) {
        Optional<Section> bucket4j = root.section("bucket4j");
        if (bucket4j.isEmpty()) {
            return;
        }
        boolean enabled = bucket4j.get().flag("enabled", true);
        Map<String, Integer> buckets = new HashMap<>();
        int number = 0;
        for (Section filter : bucket4j.get().sections("filters")) {
            number++;
            String name = filter.text("id").or(() -> filter.text("cache-name")).orElse("filter-" + number);
            List<Section> limits = filter.sections("rate-limits");
            for (Section limit : limits) {
                RuleDraft rule = draft.rule(name, limit.place());
                Bucket4jConditions.apply(filter.text("url", EVERY_URL), limit, rule);
                limit(limit, key(limit, rule), rule);
                warnOfStrategy(filter, limits, limit, rule);
                warnOfSharing(filter, limit, buckets, rule);
                if (!enabled) {
                    rule.disabled().comment("bucket4j.enabled is false, so the rule is disabled");
                }
                answer(filter, rule);
            }
        }
        for (Section method : bucket4j.get().sections("methods")) {
            RuleDraft rule = draft.rule(method.text("name", "method"), method.place())
                    .forCode()
                    .comment("a rate limit for methods: name this rule in @RateLimited");
            Optional<Section> limit = method.section("rate-limit");
            limit.ifPresent(each -> method(each, rule));
        }
    }

    /** Warns about the order of limits, because the rate limits of a filter are asked one after the other. */
    private static void warnOfStrategy(Section filter, List<Section> limits, Section limit, RuleDraft rule) {
        if (limits.size() < 2) {
            return;
        }
        if (filter.text("strategy", "first").toLowerCase(Locale.ROOT).equals("first")) {
            rule.warn("strategy: first uses only the first of " + limits.size()
                    + " rate limits whose condition holds; here all that match apply");
        } else if (limit.place().equals(limits.get(0).place())) {
            rule.warn(
                    "strategy: all takes permits of one rate limit after the other, so a request that a later one refuses has"
                            + " used up permits of those before it; here a refused request takes none, and more may pass");
        }
    }

    /** Warns about shared buckets, because a bucket is found only by its cache, the URL and the key. */
    private static void warnOfSharing(Section filter, Section limit, Map<String, Integer> buckets, RuleDraft rule) {
        String bucket = filter.text("cache-name", "buckets") + "\n" + filter.text("url", EVERY_URL) + "\n"
                + expression(limit).replaceAll("['\"]", "");
        Integer other = buckets.putIfAbsent(bucket, limit.place().line());
        if (other != null) {
            rule.warn("cache-key: the original takes these permits from the bucket of the rate limit in line " + other
                    + ", because cache, url and cache-key are the same, and the bandwidths of the first request apply; here each"
                    + " has a count of its own");
        }
    }

    private static void answer(Section filter, RuleDraft rule) {
        filter.text("http-status-code")
                .filter(code -> !code.equals("429") && !code.equalsIgnoreCase("TOO_MANY_REQUESTS"))
                .ifPresent(code -> rule.comment("http-status-code: " + PrintableText.text(code)
                        + " in the original; here a refused request is answered with 429"));
    }

    private static void method(Section limit, RuleDraft rule) {
        boolean constant =
                SpringKeys.ofExpression(expression(limit)).filter(List::isEmpty).isPresent();
        if (!constant) {
            rule.comment("cache-key: name the key there, too, as in @RateLimited(rule = \"…\", key = \"…\"): "
                    + PrintableText.text(expression(limit)));
        }
        for (String key : List.of("execute-condition", "skip-condition", "post-execute-condition")) {
            limit.text(key).ifPresent(text -> Bucket4jConditions.unsaid(key, text, rule));
        }
        limit(limit, constant ? List.of() : List.of("key"), rule);
    }

    private static void limit(Section limit, List<String> by, RuleDraft rule) {
        long tokens = Math.max(1, limit.whole("num-tokens", 1));
        Optional<String> skip = limit.text("skip-condition");
        Optional<String> skipped = skip.flatMap(text -> Bucket4jConditions.skippedCaller(text, by));
        if (skip.isPresent() && skipped.isEmpty()) {
            Bucket4jConditions.unsaid("skip-condition", skip.get(), rule);
        }
        List<Section> bandwidths = limit.sections("bandwidths");
        for (int i = 0; i < bandwidths.size(); i++) {
            // In the original, all requests without the attribute have the key null.
            LimitDraft draft = LimitDraft.by(by).absent("share");
            String id = "bandwidth-" + (i + 1);
            if (bandwidths.size() > 1) {
                draft.id(id);
            }
            boolean window = bandwidth(bandwidths.get(i), tokens, draft, rule);
            Map<String, Object> numbers = new HashMap<>(
                    window
                            ? Map.of("limit", UNLIMITED)
                            : Map.of("rate", Amounts.rate(UNLIMITED, Duration.ofSeconds(1)), "burst", UNLIMITED));
            if (bandwidths.size() > 1) {
                numbers.put("of", id);
            }
            skipped.ifPresent(caller -> rule.override(by.get(0), List.of(literal(by.get(0), caller)), numbers));
        }
    }

    private static String literal(String attribute, String value) {
        return attribute.equals("ip") ? value : SimpleRegex.literal(value);
    }

    private static String expression(Section limit) {
        return limit.text("cache-key").or(() -> limit.text("expression")).orElse(CONSTANT_KEY);
    }

    private static List<String> key(Section limit, RuleDraft rule) {
        String expression = expression(limit);
        Optional<List<String>> by = SpringKeys.ofExpression(expression);
        if (by.isEmpty()) {
            rule.shadow()
                    .warn("cache-key: " + PrintableText.text(expression)
                            + " is an expression that cannot be said; the rule is in shadow and counts by ip: set by, then"
                            + " remove shadow");
        }
        by.stream()
                .flatMap(List::stream)
                .filter(name -> name.startsWith(QUERY))
                .map(name -> name.substring(QUERY.length()))
                .forEach(name -> rule.warn(
                        "cache-key: getParameter also reads a form in the body; here only the query counts: if"
                                + " clients send it in a form, count by form." + name));
        return by.orElse(List.of("ip"));
    }

    /** Adds a limit and returns whether it is a window. */
    private static boolean bandwidth(Section bandwidth, long tokens, LimitDraft draft, RuleDraft rule) {
        long capacity = bandwidth.whole("capacity", 0);
        long refill = bandwidth.whole("refill-capacity", capacity);
        String unit = bandwidth.text("unit", "seconds").toLowerCase(Locale.ROOT).replace("_", "");
        Duration one = UNITS.get(unit);
        if (one == null) {
            bandwidth.refuse("unit", unit, "seconds, minutes, hours or days");
            return false;
        }
        Duration time = one.multipliedBy(Math.min(1_000_000_000L, Math.max(1, bandwidth.whole("time", 1))));
        boolean interval = bandwidth
                .text("refill-speed", "greedy")
                .toLowerCase(Locale.ROOT)
                .equals("interval");
        boolean window = interval && refill == capacity;
        long requests = capacity / tokens;
        if (window) {
            rule.limit(draft.fixedWindow(requests, time))
                    .warn("refill-speed: "
                            + Difference.ofWindows("with the first request of a caller", requests, time));
        } else {
            rule.limit(draft.tokenBucket(rate(refill, time, tokens), requests));
            if (interval) {
                rule.warn("refill-speed: the original adds " + refill + " permits at once every " + Amounts.span(time)
                        + "; " + Difference.ofSteps(refill));
            }
            if (capacity % tokens != 0) {
                rule.warn("num-tokens: a request takes " + tokens + " permits and " + capacity % tokens
                        + " of " + capacity
                        + " are left over; here the rule counts requests, so one request fewer may pass"
                        + " whenever the count is full");
            }
        }
        bandwidth
                .whole("initial-capacity")
                .filter(initial -> initial != capacity)
                .ifPresent(initial -> rule.warn("initial-capacity: the original starts with " + initial
                        + " permits; here a caller starts with all " + capacity));
        return window;
    }

    /** Returns the rate in requests that take several permits each. */
    private static String rate(long refill, Duration time, long tokens) {
        if (refill % tokens == 0 || tokens > MOST_TOKENS || time.compareTo(LONGEST) > 0) {
            return Amounts.rate(refill / tokens, time);
        }
        return Amounts.rate(refill, time.multipliedBy(tokens));
    }
}
