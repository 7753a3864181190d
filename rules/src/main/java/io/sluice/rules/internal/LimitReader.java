package io.sluice.rules.internal;

import io.sluice.core.Limit;
import io.sluice.core.SlidingLog;
import io.sluice.core.TokenBucket;
import io.sluice.rules.Absent;
import io.sluice.rules.Attributes;
import io.sluice.rules.By;
import io.sluice.rules.Privacy;
import io.sluice.rules.RuleLimit;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.Shown;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes the limits of one rule. */
final class LimitReader {

    private static final List<String> KNOWN = List.of(
            "id",
            "by",
            "algorithm",
            "rate",
            "burst",
            "limit",
            "window",
            "absent",
            "privacy",
            "max_wait",
            "capacity",
            "align",
            "zone",
            "slices",
            "weighted",
            "ttl");
    private static final Map<String, String> NOT_YET = Map.of("absent", "ip", "privacy", "plain", "max_wait", "0");
    private static final List<String> PARAMETERS =
            List.of("rate", "burst", "limit", "window", "capacity", "align", "zone", "slices", "weighted", "ttl");
    private static final List<String> ALGORITHMS =
            List.of("token_bucket", "leaky_bucket", "fixed_window", "sliding_window", "sliding_log", "concurrency");
    private static final String BUILT = "token_bucket or sliding_log";
    private static final int LONGEST_ATTRIBUTE = 128;

    private final String rule;
    private final Errors errors;
    private final List<RuleLimit> limits = new ArrayList<>();
    private final Map<Identity, Place> seen = new HashMap<>();
    private final Map<String, Place> ids = new HashMap<>();
    private int index;

    LimitReader(String rule, Errors errors) {
        this.rule = rule;
        this.errors = errors;
    }

    void read(YamlValue value) {
        Fields.of("limit", value, KNOWN, errors).ifPresent(this::limit);
        index++;
    }

    List<RuleLimit> limits() {
        return limits;
    }

    private void limit(Fields fields) {
        RuleReader.refuseNotYet(fields, NOT_YET);
        Optional<String> id = id(fields);
        List<String> by = by(fields);
        limit(countName(id), fields).ifPresent(limit -> {
            Place other = seen.putIfAbsent(new Identity(limit.name(), limit.shape(), by), fields.place());
            if (other != null && id.isEmpty()) {
                errors.add(
                        fields.place(),
                        "limit: counts the same as the one at line " + other.line()
                                + " (expected: an id on one of them)");
            }
            limits.add(new RuleLimit(
                    rule + "." + id.orElse(Integer.toString(index)),
                    limit,
                    by.stream().map(By::attribute).toList(),
                    Absent.IP,
                    Privacy.PLAIN));
        });
    }

    /**
     * What counts are filed under: the rule's id, or with a limit's own id {@code rule.id}. Limit ids have no dots, so the
     * last dot is the one between them; the counts of a rule whose own id has dots get one at the end, lest rule
     * {@code a.b} count together with limit {@code b} of rule {@code a}.
     */
    private String countName(Optional<String> id) {
        return id.map(own -> rule + "." + own).orElse(rule.indexOf('.') < 0 ? rule : rule + ".");
    }

    private Optional<String> id(Fields fields) {
        Optional<String> id = fields.text("id");
        if (id.filter(own -> !own.matches("[A-Za-z0-9_-]{1,64}") || own.matches("[0-9]+"))
                .isPresent()) {
            fields.error(
                    "id",
                    "id: " + Shown.text(id.get())
                            + " (expected: 1 to 64 letters, digits, '-', '_', and not digits alone)");
            return Optional.empty();
        }
        if (id.isPresent()) {
            Place other = ids.putIfAbsent(id.get(), fields.place("id"));
            if (other != null) {
                fields.error(
                        "id", "id: " + id.get() + " (expected: another id, line " + other.line() + " has this one)");
            }
        }
        return id;
    }

    private List<String> by(Fields fields) {
        List<String> by = new ArrayList<>();
        for (YamlScalar word : fields.words("by").orElse(List.of())) {
            String name = Attributes.normalisedName(word.text());
            if (name.length() > LONGEST_ATTRIBUTE || name.chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
                errors.add(word.place(), "by: " + word.shown() + " (expected: an attribute, such as ip or user)");
            } else if (by.contains(name)) {
                errors.add(word.place(), "by: " + word.shown() + " twice (expected: once)");
            } else {
                by.add(name);
            }
        }
        return by;
    }

    private Optional<? extends Limit> limit(String name, Fields fields) {
        Optional<String> algorithm = fields.has("algorithm") ? named(fields) : byDefault(fields);
        return algorithm.flatMap(word -> word.equals("token_bucket") ? bucket(name, fields) : log(name, fields));
    }

    private Optional<String> named(Fields fields) {
        Optional<String> word = fields.text("algorithm");
        if (word.isPresent()
                && !word.get().equals("token_bucket")
                && !word.get().equals("sliding_log")) {
            String found = Shown.text(word.get());
            String why = ALGORITHMS.contains(found) ? "; " + found + " is not supported yet" : "";
            fields.error("algorithm", "algorithm: " + found + " (expected: " + BUILT + why + ")");
            return Optional.empty();
        }
        return word;
    }

    private Optional<String> byDefault(Fields fields) {
        if (fields.has("rate")) {
            return Optional.of("token_bucket");
        }
        if (fields.has("limit")) {
            fields.refuseKey(
                    "limit",
                    "limit: without algorithm (expected: algorithm: sliding_log; sliding_window, the default with"
                            + " limit, is not supported yet)");
        } else {
            errors.add(fields.place(), "limit: neither rate nor limit (expected: one of them)");
        }
        return Optional.empty();
    }

    private Optional<TokenBucket> bucket(String name, Fields fields) {
        only(fields, "token_bucket", List.of("rate", "burst"));
        require(fields, "rate", "such as 50/s");
        var rate = fields.read("rate", text -> Quantities.rate("rate", text));
        Optional<Long> burst = fields.whole("burst", 0, Limit.MAX_CAPACITY);
        return rate.flatMap(r -> built(fields, () -> {
            TokenBucket bucket = Limit.named(name).tokenBucket(r);
            return burst.map(bucket::withBurst).orElse(bucket);
        }));
    }

    private Optional<SlidingLog> log(String name, Fields fields) {
        only(fields, "sliding_log", List.of("limit", "window"));
        require(fields, "limit", "0.." + SlidingLog.MAX_LIMIT);
        require(fields, "window", "such as 1m");
        Optional<Long> limit = fields.whole("limit", 0, SlidingLog.MAX_LIMIT);
        Optional<Duration> window = fields.read("window", text -> Quantities.window("window", text));
        return limit.flatMap(
                l -> window.flatMap(w -> built(fields, () -> Limit.named(name).slidingLog(l, w))));
    }

    /** Core has the last word on what is possible. */
    private <T> Optional<T> built(Fields fields, java.util.function.Supplier<T> builder) {
        try {
            return Optional.of(builder.get());
        } catch (IllegalArgumentException e) {
            errors.add(fields.place(), String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private static void only(Fields fields, String algorithm, List<String> parameters) {
        for (String key : PARAMETERS) {
            if (fields.has(key) && !parameters.contains(key)) {
                fields.refuseKey(
                        key,
                        key + ": not a parameter of " + algorithm + " (expected: " + String.join(", ", parameters)
                                + ")");
            }
        }
    }

    private static void require(Fields fields, String key, String expected) {
        if (!fields.has(key)) {
            fields.error(key, key + ": missing (expected: " + expected + ")");
        }
    }

    private record Identity(String name, String shape, List<String> by) {}
}
