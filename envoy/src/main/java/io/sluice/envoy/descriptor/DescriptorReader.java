package io.sluice.envoy.descriptor;

import io.sluice.core.limit.Limit;
import io.sluice.envoy.descriptor.EnvoyDescriptor.Entry;
import io.sluice.rules.document.RuleDialect.Placed;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads rules from a configuration file of the reference service. Each document needs a new reader. */
final class DescriptorReader {

    private static final List<String> DOCUMENT = List.of("domain", "descriptors");

    private static final List<String> DESCRIPTOR = List.of(
            "key",
            "value",
            "rate_limit",
            "descriptors",
            "shadow_mode",
            "quota_mode",
            "share_threshold",
            "detailed_metric",
            "value_to_metric",
            DescriptorMetadata.KEY);

    private static final List<String> RATE_LIMIT =
            List.of("unit", "requests_per_unit", "unlimited", "name", "replaces");

    private static final long MOST_REQUESTS = 4_294_967_295L;
    private static final String UNITS = "second, minute, hour, day, week, month or year";

    private final Errors errors;
    private final List<Placed> rules = new ArrayList<>();
    private String domain = "";

    DescriptorReader(Errors errors) {
        this.errors = errors;
    }

    List<Placed> read(YamlValue root) {
        Fields.of("document", root, DOCUMENT, errors).ifPresent(this::document);
        return rules;
    }

    private void document(Fields fields) {
        domain = text(fields, "domain", true).orElse("");
        descriptors(fields, List.of());
    }

    private void descriptors(Fields fields, List<Entry> above) {
        Map<String, Place> seen = new HashMap<>();
        for (YamlValue item : fields.value("descriptors").isEmpty() || isNothing(fields)
                ? List.<YamlValue>of()
                : fields.list("descriptors").orElse(List.of())) {
            Fields.of("descriptor", item, DESCRIPTOR, errors).ifPresent(each -> descriptor(each, above, seen));
        }
    }

    /**
     * Returns whether there are no descriptors. As in the reference service, {@code descriptors:} without a value means no
     * descriptors.
     */
    private static boolean isNothing(Fields fields) {
        return fields.value("descriptors")
                .filter(value -> value instanceof YamlValue.YamlScalar word && word.isNull())
                .isPresent();
    }

    private void descriptor(Fields fields, List<Entry> above, Map<String, Place> seen) {
        long before = errors.count();
        Optional<String> key = text(fields, "key", true);
        Optional<String> value = text(fields, "value", false);
        boolean shared = fields.flag("share_threshold").orElse(false);
        Options options = Options.read(fields, errors);
        if (shared && value.filter(Wildcard::is).isEmpty()) {
            fields.refuseKey("share_threshold", "share_threshold: without a wildcard (expected: a value with *)");
        }
        refuseTwice(fields, key, value, seen);
        if (above.size() == EnvoyDescriptor.DEEPEST) {
            errors.add(fields.place(), "descriptors: nested deeper than " + above.size() + " (expected: at most that)");
        }
        if (key.isEmpty() || errors.count() != before) {
            checkRest(fields, above);
            return;
        }
        List<Entry> path = new ArrayList<>(above);
        path.add(new Entry(key.get(), value, shared));
        boolean limited = fields.value("rate_limit").isPresent();
        if (limited) {
            fields.fields("rate_limit", RATE_LIMIT)
                    .flatMap(limit -> RateLimit.read(limit, errors))
                    .ifPresent(limit -> add(fields, path, limit, options));
        }
        boolean ends = fields.value("descriptors").isEmpty()
                || isNothing(fields)
                || fields.list("descriptors").filter(List::isEmpty).isPresent();
        if (!limited && ends && !domain.isEmpty()) {
            add(fields, path, Optional.empty(), exempt(path, RateLimit.NONE, options), false);
        }
        descriptors(fields, path);
    }

    /** Checks the rest of an invalid descriptor, so that all errors are reported. */
    private void checkRest(Fields fields, List<Entry> above) {
        fields.fields("rate_limit", RATE_LIMIT).ifPresent(limit -> RateLimit.read(limit, errors));
        List<Entry> path = new ArrayList<>(above);
        if (path.size() < EnvoyDescriptor.DEEPEST) {
            path.add(new Entry("unknown", Optional.empty(), false));
            descriptors(fields, path);
        }
    }

    private void refuseTwice(Fields fields, Optional<String> key, Optional<String> value, Map<String, Place> seen) {
        if (key.isPresent()) {
            String both = value.map(text -> key.get().length() + ":" + key.get() + text)
                    .orElse(key.get().length() + "!" + key.get());
            Place other = seen.putIfAbsent(both, fields.place());
            if (other != null) {
                errors.add(
                        fields.place(),
                        "descriptor: " + shown(key.get(), value) + " twice (expected: once, line " + other.line()
                                + " has it)");
            }
        }
    }

    private void add(Fields fields, List<Entry> path, RateLimit limit, Options options) {
        if (domain.isEmpty()) {
            return;
        }
        if (limit.unlimited()) {
            add(fields, path, Optional.empty(), exempt(path, limit, options), false);
        } else {
            add(
                    fields,
                    path,
                    Optional.of(limit),
                    new EnvoyDescriptor(
                            domain,
                            path,
                            false,
                            limit.name(),
                            limit.replaces(),
                            options.quota && !options.shadow,
                            options.detailed,
                            options.metadata),
                    options.shadow || options.quota);
        }
    }

    private EnvoyDescriptor exempt(List<Entry> path, RateLimit limit, Options options) {
        return new EnvoyDescriptor(
                domain,
                path,
                limit.unlimited(),
                limit.name(),
                limit.replaces(),
                false,
                options.detailed,
                options.metadata);
    }

    private void add(
            Fields fields, List<Entry> path, Optional<RateLimit> limit, EnvoyDescriptor descriptor, boolean shadow) {
        String id = DescriptorIds.of(domain, path);
        LimitName name = LimitName.live(id, Optional.empty(), 0);
        List<RuleLimit> limits = limit
                .map(given -> new RuleLimit(
                        name.reported(),
                        Limit.named(name.counted())
                                .fixedWindow(given.requests(), given.unit().length()),
                        descriptor.by(),
                        AbsentPolicy.IP,
                        Privacy.PLAIN))
                .stream()
                .toList();
        Rule rule = new Rule(
                id,
                true,
                limit.isPresent() ? Action.LIMIT : Action.EXEMPT,
                Scope.EVERYTHING,
                shadow,
                limits,
                List.of(),
                List.of(),
                Handling.DEFAULT,
                RuleDescription.NOTHING,
                Optional.of(descriptor));
        Entry last = path.get(path.size() - 1);
        rules.add(
                new Placed(rule, fields.place(), "descriptor: " + shown(last.key(), last.value()) + " of this domain"));
    }

    private static String shown(String key, Optional<String> value) {
        return PrintableText.text(value.map(text -> key + "=" + text).orElse(key));
    }

    private static Optional<String> text(Fields fields, String key, boolean required) {
        Optional<YamlValue> given = fields.value(key);
        boolean nothing = given.filter(value -> value instanceof YamlValue.YamlScalar word
                        && (word.isNull() || word.text().isEmpty()))
                .isPresent();
        if (given.isEmpty() || nothing) {
            if (required) {
                fields.error(key, key + ": " + (nothing ? "empty" : "missing") + " (expected: a text)");
            }
            return Optional.empty();
        }
        return fields.read(key, text -> {
            if (text.length() > EnvoyDescriptor.LONGEST) {
                throw new IllegalArgumentException(
                        key + ": " + text.length() + " characters (expected: 1.." + EnvoyDescriptor.LONGEST + ")");
            }
            return text;
        });
    }

    /** The options of a descriptor for its limit outside of the block {@code rate_limit}. */
    private record Options(boolean shadow, boolean quota, boolean detailed, Map<String, @Nullable Object> metadata) {

        static Options read(Fields fields, Errors errors) {
            fields.flag("value_to_metric");
            return new Options(
                    fields.flag("shadow_mode").orElse(false),
                    fields.flag("quota_mode").orElse(false),
                    fields.flag("detailed_metric").orElse(false),
                    DescriptorMetadata.read(fields, errors));
        }
    }

    /** The block {@code rate_limit}. */
    private record RateLimit(
            Unit unit, long requests, boolean unlimited, Optional<String> name, List<String> replaces) {

        static final RateLimit NONE = new RateLimit(Unit.SECOND, 0, false, Optional.empty(), List.of());

        static Optional<RateLimit> read(Fields fields, Errors errors) {
            long before = errors.count();
            boolean unlimited = fields.flag("unlimited").orElse(false);
            Optional<String> name = text(fields, "name", false);
            List<String> replaces = new ArrayList<>();
            for (YamlValue item : fields.list("replaces").orElse(List.of())) {
                Fields.of("replaces", item, List.of("name"), errors)
                        .flatMap(each -> text(each, "name", true))
                        .ifPresent(other -> {
                            if (name.filter(other::equals).isPresent()) {
                                errors.add(
                                        item.place(),
                                        "replaces: " + PrintableText.text(other) + " (expected: names of others)");
                            }
                            replaces.add(other);
                        });
            }
            Optional<Unit> unit = fields.has("unit") ? unit(fields) : Optional.empty();
            if (unlimited && fields.has("unit")) {
                fields.refuseKey("unit", "unit: together with unlimited (expected: only one of the two)");
            }
            if (!unlimited && !fields.has("unit")) {
                fields.error("unit", "unit: missing (expected: " + UNITS + ")");
            }
            Optional<Long> requests = fields.whole("requests_per_unit", 0, MOST_REQUESTS);
            return errors.count() == before
                    ? Optional.of(new RateLimit(
                            unit.orElse(Unit.SECOND), requests.orElse(0L), unlimited, name, List.copyOf(replaces)))
                    : Optional.empty();
        }

        private static Optional<Unit> unit(Fields fields) {
            return fields.read("unit", word -> Unit.named(word)
                    .orElseThrow(() -> new IllegalArgumentException("unit: "
                            + PrintableText.text(word.toLowerCase(Locale.ROOT)) + " (expected: " + UNITS + ")")));
        }
    }
}
