package io.sluice.replay.imports.spring;

import io.sluice.replay.imports.draft.Amounts;
import io.sluice.replay.imports.draft.Difference;
import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.replay.imports.draft.Importer;
import io.sluice.replay.imports.draft.LimitDraft;
import io.sluice.replay.imports.draft.PathScope;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.replay.imports.draft.Section;
import io.sluice.replay.imports.draft.SimpleRegex;
import io.sluice.rules.yaml.PrintableText;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rules from the filters of bucket4j-spring-boot-starter.
 *
 * <p>A bandwidth with a greedy refill is a token bucket. An interval refill gives all permits back at once, one interval after the
 * bucket was made: that is a fixed window which begins with the first request of a caller.
 */
public final class Bucket4jImporter implements Importer {

    private static final Map<String, Duration> UNITS = Map.of(
            "nanos", Duration.ofNanos(1),
            "micros", Duration.ofNanos(1_000),
            "millis", Duration.ofMillis(1),
            "seconds", Duration.ofSeconds(1),
            "minutes", Duration.ofMinutes(1),
            "hours", Duration.ofHours(1),
            "halfdays", Duration.ofHours(12),
            "days", Duration.ofDays(1));

    private static final Pattern EQUALS =
            Pattern.compile("(.+?)(?:\\s*==\\s*|\\.equals\\()\\s*['\"]([^'\"]{1,200})['\"]\\s*\\)?");

    @Override
    public Imported read(ForeignFile file) throws ImportRefusedException {
        return SpringFile.convert(file, "bucket4j-spring-boot-starter", Bucket4jImporter::convert);
    }

    private static void convert(Section root, DocumentDraft draft) {
        Optional<Section> bucket4j = root.section("bucket4j");
        if (bucket4j.isEmpty()) {
            return;
        }
        boolean enabled = bucket4j.get().flag("enabled", true);
        int number = 0;
        for (Section filter : bucket4j.get().sections("filters")) {
            number++;
            String name = filter.text("id").or(() -> filter.text("cache-name")).orElse("filter-" + number);
            List<Section> limits = filter.sections("rate-limits");
            boolean first =
                    filter.text("strategy", "first").toLowerCase(Locale.ROOT).equals("first");
            for (Section limit : limits) {
                RuleDraft rule = draft.rule(name, limit.place());
                scope(filter, rule);
                limit(limit, rule);
                if (!enabled) {
                    rule.disabled().comment("bucket4j.enabled is false, so the rule is disabled");
                }
                if (first && limits.size() > 1) {
                    rule.warn("strategy: first uses only the first of " + limits.size()
                            + " rate limits whose condition holds; here all that match apply");
                }
            }
        }
        for (Section method : bucket4j.get().sections("methods")) {
            RuleDraft rule = draft.rule(method.text("name", "method"), method.place())
                    .forCode()
                    .comment("a rate limit for methods: name this rule in @RateLimited");
            Optional<Section> limit = method.section("rate-limit");
            limit.ifPresent(each -> limit(each, rule));
        }
    }

    private static void scope(Section filter, RuleDraft rule) {
        PathScope paths = new PathScope();
        paths.regex(filter.text("url", ".*"), true).applyTo(rule);
    }

    private static void limit(Section limit, RuleDraft rule) {
        List<String> by = key(limit, rule);
        conditions(limit, rule);
        int position = 0;
        List<Section> bandwidths = limit.sections("bandwidths");
        for (Section bandwidth : bandwidths) {
            position++;
            LimitDraft draft = LimitDraft.by(by);
            if (bandwidths.size() > 1) {
                draft.id("bandwidth-" + position);
            }
            bandwidth(bandwidth, draft, rule);
        }
        limit.whole("num-tokens")
                .filter(tokens -> tokens > 1)
                .ifPresent(
                        tokens -> rule.warn("num-tokens: a request takes " + tokens + " permits; here it takes one"));
    }

    private static List<String> key(Section limit, RuleDraft rule) {
        Optional<String> expression = limit.text("cache-key").or(() -> limit.text("expression"));
        if (expression.isEmpty()) {
            return List.of();
        }
        Optional<List<String>> by = SpringKeys.ofExpression(expression.get());
        if (by.isEmpty()) {
            rule.shadow()
                    .warn("cache-key: " + PrintableText.text(expression.get())
                            + " is an expression that cannot be said; the rule is in shadow and counts by ip: set by, then"
                            + " remove shadow");
        }
        return by.orElse(List.of("ip"));
    }

    private static void conditions(Section limit, RuleDraft rule) {
        Optional<String> execute = limit.text("execute-condition");
        if (execute.isPresent() && !condition(execute.get(), rule)) {
            unsaid("execute-condition", execute.get(), rule);
        }
        for (String key : List.of("skip-condition", "post-execute-condition")) {
            limit.text(key).ifPresent(text -> unsaid(key, text, rule));
        }
    }

    private static boolean condition(String expression, RuleDraft rule) {
        String text = expression.strip();
        if (text.isEmpty() || text.equals("1==1") || text.equals("true")) {
            return true;
        }
        Matcher equals = EQUALS.matcher(text);
        Optional<List<String>> attribute =
                equals.matches() ? SpringKeys.ofExpression(equals.group(1)) : Optional.empty();
        if (attribute.isEmpty() || attribute.get().size() != 1) {
            return false;
        }
        String name = attribute.get().get(0);
        if (name.equals("method")) {
            rule.methods(List.of(equals.group(2)));
        } else if (name.equals("path")) {
            return false;
        } else {
            rule.match(name, List.of(SimpleRegex.literal(equals.group(2))));
        }
        return true;
    }

    private static void unsaid(String key, String text, RuleDraft rule) {
        rule.shadow()
                .warn(key + ": " + PrintableText.text(text)
                        + " is an expression that cannot be said; the rule is in shadow and counts requests that the"
                        + " original does not");
    }

    private static void bandwidth(Section bandwidth, LimitDraft draft, RuleDraft rule) {
        long capacity = bandwidth.whole("capacity", 0);
        long refill = bandwidth.whole("refill-capacity", capacity);
        String unit = bandwidth.text("unit", "seconds").toLowerCase(Locale.ROOT).replace("_", "");
        Duration one = UNITS.get(unit);
        if (one == null) {
            bandwidth.refuse("unit", unit, "seconds, minutes, hours or days");
            return;
        }
        Duration time = one.multipliedBy(Math.min(1_000_000_000L, Math.max(1, bandwidth.whole("time", 1))));
        boolean interval = bandwidth
                .text("refill-speed", "greedy")
                .toLowerCase(Locale.ROOT)
                .equals("interval");
        if (interval && refill == capacity) {
            rule.limit(draft.fixedWindow(capacity, time))
                    .warn("refill-speed: "
                            + Difference.ofWindows("with the first request of a caller", capacity, time));
        } else {
            rule.limit(draft.tokenBucket(Amounts.rate(refill, time), capacity));
            if (interval) {
                rule.warn("refill-speed: the original adds " + refill + " permits at once every " + Amounts.span(time)
                        + "; " + Difference.ofSteps(refill));
            }
        }
        bandwidth
                .whole("initial-capacity")
                .filter(initial -> initial != capacity)
                .ifPresent(initial -> rule.warn("initial-capacity: the original starts with " + initial
                        + " permits; here a caller starts with all " + capacity));
    }
}
