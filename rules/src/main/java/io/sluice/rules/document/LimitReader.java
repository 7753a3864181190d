package io.sluice.rules.document;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.cost.CostReader;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.UnreadPolicy;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the limits of one rule: either the limits in force or the candidates. */
final class LimitReader {

    private final String rule;
    private final boolean candidate;
    private final Errors errors;
    private final List<ReadLimit> limits = new ArrayList<>();

    /** The identities of the limits, at most one for each limit. */
    private final List<Seen> seen = new ArrayList<>(1);

    private final Map<String, Place> ids = new HashMap<>();
    private final CostReader costs;

    /** The costs that are settled by an answer, by their places. */
    private final Map<Place, Cost.Settling> settled = new LinkedHashMap<>();

    LimitReader(String rule, boolean candidate, Errors errors) {
        this.rule = rule;
        this.candidate = candidate;
        this.errors = errors;
        this.costs = new CostReader(this::reserved, errors);
    }

    /**
     * A limit and the values that an override needs from it. A limit with errors keeps its position in the list, so that other
     * limits keep their positions.
     */
    record ReadLimit(Optional<String> id, Optional<Built> built) {}

    record Built(Algorithm algorithm, Parameters parameters, RuleLimit limit) {}

    /** The values that identify a count, apart from the caller. Fallback attributes are not part of it. */
    private record Identity(String name, String shape, List<String> by) {}

    private record Seen(Identity identity, Place place) {}

    /** The settings that determine which requests a limit counts together. */
    private record Counting(List<By> by, AbsentPolicy absent, UnreadPolicy unread, Privacy privacy) {

        RuleLimit limit(String id, Limit limit, Optional<Cost> cost, boolean durable) {
            return new RuleLimit(id, limit, by, absent, unread, privacy, cost, durable);
        }
    }

    void read(YamlValue value) {
        Optional<Fields> fields = Fields.of("limit", value, DocumentKeys.LIMIT, DocumentKeys.NOT_IN_LIMIT, errors);
        if (fields.isPresent()) {
            read(fields.get(), ByReader.by(fields.get(), errors));
        } else {
            skip();
        }
    }

    /** Reads a dimension of the founding shape. */
    void readDimension(YamlValue value) {
        Fields.of("dimension", value, DocumentKeys.DIMENSION, DocumentKeys.NOT_IN_DIMENSION, errors)
                .ifPresentOrElse(fields -> read(fields, ByReader.dimension(fields, errors)), this::skip);
    }

    /** Reads the limit that a rule in the founding shape defines by its own keys. */
    void readRule(Fields fields) {
        add(fields, Optional.empty(), new Counting(List.of(), AbsentPolicy.IP, UnreadPolicy.REFUSE, Privacy.PLAIN));
    }

    List<ReadLimit> read() {
        return limits;
    }

    List<RuleLimit> limits() {
        if (limits.isEmpty()) {
            return List.of();
        }
        List<RuleLimit> all = new ArrayList<>(limits.size());
        for (ReadLimit limit : limits) {
            if (limit.built().isPresent()) {
                all.add(limit.built().get().limit());
            }
        }
        return all;
    }

    /** Warns about settlements in a rule for descriptors. */
    void warnOfDescriptors() {
        settled.forEach((place, settling) -> errors.warnings()
                .add(
                        place,
                        "settle: " + PrintableText.text(settling.by().toString())
                                + ": no front door sees the answers to descriptors, so the reservation stands;"
                                + " report usage to a limit with cost: {charge: always}"));
    }

    private void skip() {
        limits.add(new ReadLimit(Optional.empty(), Optional.empty()));
    }

    private void read(Fields fields, List<By> by) {
        if (by.isEmpty() && !fields.has("by")) {
            for (String key : List.of("absent", "privacy")) {
                if (fields.has(key)) {
                    fields.refuseKey(
                            key, key + ": set without by (expected: an attribute to count by, such as by: ip)");
                }
            }
        }
        AbsentPolicy absent = fields.choice("absent", DocumentWords.ABSENT).orElse(AbsentPolicy.IP);
        Privacy privacy = fields.choice("privacy", DocumentWords.PRIVACY).orElse(Privacy.PLAIN);
        UnreadPolicy unread = fields.choice("unread", DocumentWords.UNREAD).orElse(UnreadPolicy.REFUSE);
        add(fields, id(fields), new Counting(by, absent, unread, privacy));
    }

    private void add(Fields fields, Optional<String> id, Counting counting) {
        int position = limits.size();
        LimitName name = candidate ? LimitName.candidate(rule, id, position) : LimitName.live(rule, id, position);
        Optional<Cost> cost = costs.read(fields);
        Optional<Algorithm> algorithm = algorithm(fields);
        Built built = algorithm.isEmpty() ? null : built(fields, algorithm.get(), name, cost, counting);
        if (built != null) {
            refuseSameCount(fields, id, built.limit());
            warn(fields, built.limit());
        }
        limits.add(new ReadLimit(id, Optional.ofNullable(built)));
    }

    /** Returns the limit, or null if it has an error. */
    private @Nullable Built built(
            Fields fields, Algorithm algorithm, LimitName name, Optional<Cost> cost, Counting counting) {
        boolean durable = durable(fields, algorithm);
        boolean charged = isCharged(fields, algorithm);
        Optional<Parameters> parameters = parameters(fields, algorithm);
        if (parameters.isEmpty()) {
            return null;
        }
        Optional<Limit> limit = limit(fields, algorithm, parameters.get(), name);
        return limit.isPresent() && charged && fits(fields, cost, limit.get())
                ? new Built(algorithm, parameters.get(), counting.limit(name.reported(), limit.get(), cost, durable))
                : null;
    }

    private void refuseSameCount(Fields fields, Optional<String> id, RuleLimit limit) {
        List<String> by = new ArrayList<>(limit.by().size());
        for (By each : limit.by()) {
            by.add(each.attribute());
        }
        Identity identity = new Identity(limit.limit().name(), limit.limit().shape(), by);
        for (Seen other : seen) {
            if (other.identity().equals(identity)) {
                if (id.isEmpty()) {
                    errors.add(
                            fields.place(),
                            "limit: has the same count as the limit at line "
                                    + other.place().line() + " (expected: an id on one of the two)");
                }
                return;
            }
        }
        seen.add(new Seen(identity, fields.place()));
    }

    private Optional<String> reserved(String key, YamlValue value) {
        Optional<String> name =
                ByReader.attribute(key, value, "an attribute such as json.max_tokens, or a whole number", errors);
        name.ifPresent(own -> Plausibility.warnUnknown(key, own, value.place(), errors));
        return name;
    }

    /** Refuses a cost if the algorithm cannot settle it. Returns whether the limit may have its cost. */
    private static boolean isCharged(Fields fields, Algorithm algorithm) {
        boolean refused = fields.has("cost") && !algorithm.settles();
        if (refused) {
            fields.refuseKey("cost", Cost.refused(algorithm));
        }
        return !refused;
    }

    private static boolean fits(Fields fields, Optional<Cost> cost, Limit limit) {
        try {
            if (cost.isPresent()) {
                cost.get().check(limit);
            }
            return true;
        } catch (IllegalArgumentException e) {
            fields.refuseKey("max_wait", String.valueOf(e.getMessage()));
            return false;
        }
    }

    /**
     * Reads whether a limit is durable. Counts are stored per window, so only a window that all processes compute in the same
     * way can be restored.
     */
    private static boolean durable(Fields fields, Algorithm algorithm) {
        boolean durable = fields.flag("durable").orElse(false);
        if (durable && (!algorithm.has(Parameter.ALIGN) || !fields.has("align"))) {
            fields.refuseKey(
                    "durable",
                    "durable: true without align"
                            + " (expected: algorithm: fixed_window with align: day, week, month or year)");
            return false;
        }
        return durable;
    }

    private void warn(Fields fields, RuleLimit limit) {
        if (limit.cost().isPresent()) {
            Cost cost = limit.cost().get();
            Plausibility.cost(cost, limit.limit(), fields.place("cost"), errors);
            if (cost instanceof Cost.Reserved reserved) {
                Plausibility.settling(reserved, fields.place("cost"), errors);
            }
            cost.settling().ifPresent(settling -> settled.put(fields.place("cost"), settling));
        }
        if (limit.durable()) {
            Plausibility.durable(limit.by(), fields.place("durable"), errors);
        }
    }

    private Optional<String> id(Fields fields) {
        Optional<String> id = fields.text("id");
        if (id.isEmpty()) {
            return id;
        }
        if (!LimitName.isLegal(id.get())) {
            fields.error(
                    "id",
                    "id: " + PrintableText.text(id.get())
                            + " (expected: 1 to 64 letters, digits, '-' or '_'; not only digits, not candidate"
                            + " or candidate-…)");
            return Optional.empty();
        }
        Place other = ids.putIfAbsent(id.get(), fields.place("id"));
        if (other != null) {
            fields.error("id", "id: " + id.get() + " (expected: another id; line " + other.line() + " has this one)");
        }
        return id;
    }

    private Optional<Algorithm> algorithm(Fields fields) {
        if (fields.has("algorithm")) {
            return fields.choice("algorithm", DocumentWords.ALGORITHMS);
        }
        if (fields.has("rate") == fields.has("limit")) {
            errors.add(
                    fields.place(),
                    "limit: " + (fields.has("rate") ? "both" : "neither") + " rate "
                            + (fields.has("rate") ? "and" : "nor")
                            + " limit (expected: one of the two, such as rate: 50/s)");
            return Optional.empty();
        }
        return Optional.of(Parameters.usual(fields.has("rate")));
    }

    private Optional<Parameters> parameters(Fields fields, Algorithm algorithm) {
        long before = errors.count();
        for (Parameter parameter : Parameters.ALL) {
            String key = parameter.word();
            if (fields.has(key) && !algorithm.has(parameter)) {
                fields.refuseKey(
                        key,
                        key + ": not a parameter of " + algorithm.word() + " (expected: "
                                + String.join(", ", Parameter.words(algorithm.parameters())) + ")");
            }
        }
        for (Parameter parameter : algorithm.required()) {
            require(fields, parameter, algorithm);
        }
        if (algorithm.has(Parameter.ALIGN)) {
            refuseUnclearWindow(fields);
        }
        Parameters parameters = Parameters.read(fields, algorithm);
        return errors.count() == before ? Optional.of(parameters) : Optional.empty();
    }

    private static void refuseUnclearWindow(Fields fields) {
        if (fields.has("window") == fields.has("align")) {
            String found = fields.has("window") ? "align: set together with window" : "window: missing";
            fields.error("align", found + " (expected: either window, such as 1m, or align, such as day)");
        }
        if (fields.has("zone") && !fields.has("align")) {
            fields.refuseKey("zone", "zone: set without align (expected: align: day, week, month or year)");
        }
    }

    private static void require(Fields fields, Parameter parameter, Algorithm algorithm) {
        String key = parameter.word();
        if (!fields.has(key)) {
            String expected =
                    switch (parameter) {
                        case RATE -> "a rate such as 50/s";
                        case LIMIT -> "0.." + algorithm.largest();
                        default -> "a duration such as 1m";
                    };
            fields.error(key, key + ": missing (expected: " + expected + ")");
        }
    }

    private Optional<Limit> limit(Fields fields, Algorithm algorithm, Parameters parameters, LimitName name) {
        try {
            return Optional.of(parameters.build(algorithm, name.counted(), fields.has("cost")));
        } catch (IllegalArgumentException e) {
            errors.add(fields.place(), String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }
}
