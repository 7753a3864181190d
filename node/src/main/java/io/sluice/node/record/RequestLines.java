package io.sluice.node.record;

import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeyMask;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.MaskedValues;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Describes requests for a recording: one JSON object per line, with the fields of the decision log and the attributes that rules name.
 * Service, path and method are recorded unchanged, other attributes as keyed hashes. Takes some microseconds. Not thread-safe.
 */
final class RequestLines {

    private static final Set<String> SHOWN = Set.of("service", "path", "method");

    /** The attributes that are recorded even if no rule names them, so that other rules can be tried on a recording. */
    private static final Set<String> ALWAYS = Set.of("service", "path", "method", "ip", "user", "tenant");

    private static final int LONGEST_TEXT = 400;

    private final CallerMarks marks;
    private final KeyMask mask;

    /** The attributes that the last rule set names. */
    private Named named = new Named(null, Set.of());

    private record Named(@Nullable RuleSet set, Set<String> attributes) {}

    RequestLines(KeySettings keys, KeyMask mask) {
        this.marks = new CallerMarks(keys);
        this.mask = mask;
    }

    /** Returns the line of a request, with its line end. */
    byte[] line(RecordedRequest recorded) {
        Ruling.Settled ruling = recorded.ruling();
        RuleSet set = recorded.set();
        Attributes request = recorded.request();
        Map<String, String> masked = new TreeMap<>();
        Map<String, String> hashes = new TreeMap<>();
        Map<String, String> plain = new TreeMap<>();
        for (String name : named(set)) {
            String value = request.get(name);
            if (value == null) {
                continue;
            }
            Optional<CallerMark> mark = isShown(set, name) ? Optional.empty() : marks.of(set, name, request);
            if (mark.isPresent()) {
                masked.put(name, mark.get().shown());
                hashes.put(name, mark.get().hash());
            } else {
                plain.put(name, value);
            }
        }
        JsonLine line = new JsonLine()
                .begin()
                .field(
                        "timestamp",
                        Instant.EPOCH
                                .plus(recorded.atMicros(), ChronoUnit.MICROS)
                                .toString());
        MaskedValues values = new MaskedValues();
        masked.forEach((name, mark) -> values.add(String.valueOf(request.get(name)), mark));
        field(line, "service", plain.remove("service"), values);
        field(line, "resource", plain.remove("path"), values);
        field(line, "method", plain.remove("method"), values);
        line.field("dimensions", (Object) masked).field("hashes", (Object) hashes);
        if (!plain.isEmpty()) {
            line.field("attributes", (Object) plain);
        }
        Rule rule = ruling.rule();
        Ruling.Reported reported = ruling.reported();
        line.field("rule_id", rule == null ? "" : rule.id())
                .field("limit_id", reported == null ? "" : reported.id())
                .field("decision", outcome(ruling).word())
                .field("permits", ruling.permits())
                .field("mode", ruling.mode())
                .field("degraded", ruling.degraded() == null ? "" : ruling.degraded())
                .field("rule_version", ruling.ruleVersion());
        return (line.end() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private boolean isShown(RuleSet set, String name) {
        return mask.keeps(name) || (SHOWN.contains(name) && !marks.hides(set, name));
    }

    /** The service, path or method may contain values that identify the caller. */
    private static void field(JsonLine line, String name, @Nullable String value, MaskedValues values) {
        if (value != null) {
            String shown = values.in(value);
            line.field(name, shown.length() > LONGEST_TEXT ? shown.substring(0, LONGEST_TEXT) : shown);
        }
    }

    private static Outcome outcome(Ruling.Settled ruling) {
        return switch (ruling.action()) {
            case DENY -> Outcome.DENIED;
            case EXEMPT -> Outcome.EXEMPT;
            case LIMIT -> ruling.allowed() ? Outcome.ALLOWED : Outcome.REJECTED;
        };
    }

    /** Returns the attributes that rules match, count or select by, and those that most rules would use. */
    @SuppressWarnings("ReferenceEquality") // a set is never equal to another one
    private Set<String> named(RuleSet set) {
        if (named.set != set) {
            Set<String> names = new TreeSet<>(ALWAYS);
            set.rules().forEach(rule -> add(rule, names));
            CallerTrial trial = set.trial();
            if (trial != null) {
                trial.rules().rules().forEach(rule -> add(rule, names));
            }
            named = new Named(set, names);
        }
        return named.attributes;
    }

    private static void add(Rule rule, Set<String> names) {
        rule.addAttributes(names);
        if (rule.scope().service() != null) {
            names.add("service");
        }
        if (rule.scope().resource() != null) {
            names.add("path");
        }
        if (!rule.scope().methods().isEmpty()) {
            names.add("method");
        }
    }
}
