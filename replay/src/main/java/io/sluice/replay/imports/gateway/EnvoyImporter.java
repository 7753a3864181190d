package io.sluice.replay.imports.gateway;

import io.sluice.replay.imports.draft.Amounts;
import io.sluice.replay.imports.draft.Difference;
import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ForeignFormat;
import io.sluice.replay.imports.draft.ForeignTree;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.replay.imports.draft.Importer;
import io.sluice.replay.imports.draft.LimitDraft;
import io.sluice.replay.imports.draft.PathScope;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.replay.imports.draft.Section;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Rules from Envoy: its local rate limit filters, anywhere in a configuration, and the descriptor files of the global rate limit service. A
 * node reads descriptor files as they are; importing them shows them as rules. Importing them needs the {@code envoy} module on the class
 * path.
 */
public final class EnvoyImporter implements Importer {

    private static final String LOCAL = "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit";
    private static final String CONNECTIONS = "envoy.extensions.filters.network.local_ratelimit.v3.LocalRateLimit";

    private static final String PER_FILTER = "typed_per_filter_config";

    /** A warning names at most this many configurations. */
    private static final int SHOWN_REPLACING = 10;

    private static final ForeignFormat FORMAT =
            new ForeignFormat("Envoy", "a local rate limit filter, or with a domain and descriptors");

    @Override
    public Imported read(ForeignFile file) throws ImportRefusedException {
        RuleDocument document = RuleDocument.parse(file.name(), file.text());
        return ForeignTree.convert(file, FORMAT, (root, draft, errors) -> {
            Optional<Section> descriptors =
                    Section.of(root, errors).filter(each -> each.has("domain") && each.has("descriptors"));
            if (descriptors.isEmpty()) {
                new Walk(draft, errors).convert(root);
            } else if (document instanceof Accepted accepted) {
                accepted.rules().forEach(draft::add);
            } else {
                ((Refused) document)
                        .errors()
                        .forEach(error -> errors.add(
                                new Place(Math.max(1, error.line()), Math.max(1, error.column())), error.message()));
            }
        });
    }

    /**
     * The surroundings of a filter.
     *
     * @param name the name of the listener, virtual host or route
     * @param hosts the hosts of the virtual host
     * @param match the match of the route
     * @param filter the name of the filter
     * @param own the place of the configuration of the filter
     */
    private record Scope(
            String name, List<String> hosts, Optional<Section> match, Level level, String filter, Place own) {

        Scope place(String name, List<String> hosts, Optional<Section> match) {
            return new Scope(name, hosts, match, level, filter, own);
        }

        Scope filter(String filterName, Place place) {
            return new Scope(name, hosts, match, level, filterName, place);
        }
    }

    /**
     * A section that configures filters: of a connection manager, a virtual host, a route or a cluster. Envoy only uses the innermost
     * configuration of a filter. Not thread-safe.
     */
    private static final class Level {

        private final boolean everywhere;
        private final int begin;
        private int end = Integer.MAX_VALUE;

        /**
         * @param everywhere whether configurations anywhere in the file may be inside, because its routes come from elsewhere
         * @param begin the number of configurations before this section
         */
        Level(boolean everywhere, int begin) {
            this.everywhere = everywhere;
            this.begin = begin;
        }

        SortedMap<Integer, Place> inside(SortedMap<Integer, Place> configurations) {
            return everywhere ? configurations : configurations.subMap(begin, end);
        }
    }

    /** A bucket of a filter. It does not apply where a configuration inside of its level replaces it. */
    private record Bucket(Scope scope, RuleDraft rule) {}

    private static final class Walk {

        private final DocumentDraft draft;
        private final Errors errors;
        private final List<Bucket> buckets = new ArrayList<>();

        /** The configurations of each filter for virtual hosts, routes and clusters, numbered in the order of the file. */
        private final Map<String, TreeMap<Integer, Place>> configurations = new HashMap<>();

        private int count;

        Walk(DocumentDraft draft, Errors errors) {
            this.draft = draft;
            this.errors = errors;
        }

        void convert(YamlValue root) {
            visit(root, new Scope("envoy", List.of(), Optional.empty(), new Level(true, 0), "", Place.START));
            buckets.forEach(this::warnOfReplaced);
        }

        private void visit(YamlValue value, Scope outer) {
            if (value instanceof YamlList list) {
                list.items().forEach(item -> visit(item, outer));
            }
            Optional<Section> section = Section.of(value, errors);
            if (section.isEmpty()) {
                return;
            }
            String type =
                    section.get().value("@type").isPresent() ? section.get().text("@type", "") : "";
            if (type.endsWith(LOCAL)) {
                filter(section.get(), outer);
                return;
            }
            if (type.endsWith(CONNECTIONS)) {
                draft.warn(section.get().place(), "local_ratelimit: a limit on new TCP connections cannot be said");
                return;
            }
            Scope scope = inside(section.get(), outer);
            for (Entry entry : ((YamlMap) value).entries()) {
                if (entry.key() instanceof YamlScalar key
                        && key.text().equals(PER_FILTER)
                        && entry.value() instanceof YamlMap filters) {
                    filters.entries().forEach(filter -> configuration(filter, scope));
                } else {
                    visit(entry.value(), scope);
                }
            }
            if (scope.level() != outer.level()) {
                scope.level().end = count;
            }
        }

        private void configuration(Entry filter, Scope scope) {
            String name = filter.key() instanceof YamlScalar key ? key.text() : "";
            configurations
                    .computeIfAbsent(name, any -> new TreeMap<>())
                    .put(count++, filter.value().place());
            visit(filter.value(), scope.filter(name, filter.value().place()));
        }

        private void warnOfReplaced(Bucket bucket) {
            Scope scope = bucket.scope();
            List<Place> places =
                    scope.level().inside(configurations.getOrDefault(scope.filter(), new TreeMap<>())).values().stream()
                            .filter(place -> !place.equals(scope.own()))
                            .limit(SHOWN_REPLACING + 1)
                            .toList();
            if (!places.isEmpty()) {
                String shown = places.stream()
                        .limit(SHOWN_REPLACING)
                        .map(place -> place.line() + ":" + place.column())
                        .collect(Collectors.joining(", "));
                bucket.rule()
                        .warn("token_bucket: Envoy does not use it for requests with a more specific configuration"
                                + " of the filter, which is at " + shown
                                + (places.size() > SHOWN_REPLACING ? " and more places" : "")
                                + "; here these requests count in this rule as well");
            }
        }

        private Scope inside(Section section, Scope outer) {
            Scope scope = place(section, outer);
            if (section.has("http_filters") || section.has(PER_FILTER)) {
                boolean elsewhere = section.has("http_filters") && !section.has("route_config");
                Level level = new Level(elsewhere, count);
                return new Scope(scope.name(), scope.hosts(), scope.match(), level, scope.filter(), scope.own());
            }
            return section.has("typed_config")
                    ? scope.filter(name(section).orElse(outer.filter()), section.place())
                    : scope;
        }

        private static Optional<String> name(Section section) {
            return section.value("name").filter(YamlScalar.class::isInstance).map(text -> ((YamlScalar) text).text());
        }

        private static Scope place(Section section, Scope outer) {
            Optional<String> name = section.has("typed_config") ? Optional.empty() : name(section);
            if (section.has("domains")) {
                return outer.place(name.orElse("virtual-host"), section.texts("domains"), Optional.empty());
            }
            if (section.has("match") && (section.has("route") || section.has("direct_response"))) {
                return outer.place(name.orElse(outer.name() + "-route"), outer.hosts(), section.section("match"));
            }
            return name.map(own -> outer.place(own, outer.hosts(), outer.match()))
                    .orElse(outer);
        }

        private void filter(Section filter, Scope scope) {
            List<Section> descriptors = filter.sections("descriptors");
            Optional<Section> bucket = filter.section("token_bucket");
            bucket.ifPresent(found -> {
                RuleDraft rule = rule(filter, scope);
                bucket(found, rule, List.of());
                buckets.add(new Bucket(scope, rule));
                if (!descriptors.isEmpty()) {
                    rule.warn(
                            "token_bucket: requests with a matching descriptor use that one's bucket instead; here they"
                                    + " count in both");
                }
            });
            for (Section descriptor : descriptors) {
                RuleDraft rule = rule(filter, scope);
                List<String> by = new ArrayList<>();
                for (Section entry : descriptor.sections("entries")) {
                    String attribute = "descriptor." + entry.text("key", "");
                    entry.text("value")
                            .filter(text -> !text.isEmpty())
                            .ifPresentOrElse(text -> rule.match(attribute, List.of(text)), () -> by.add(attribute));
                }
                rule.warn("descriptors: the rule matches descriptors that Envoy sends to a rate limit service; use its"
                        + " ratelimit filter, or replace them by attributes of the request");
                descriptor.section("token_bucket").ifPresent(found -> {
                    bucket(found, rule, by);
                    buckets.add(new Bucket(scope, rule));
                });
            }
        }

        private RuleDraft rule(Section filter, Scope scope) {
            RuleDraft rule = draft.rule(scope.name(), filter.place()).local();
            if (!scope.hosts().isEmpty() && !scope.hosts().contains("*")) {
                rule.match("header.host", scope.hosts());
            }
            scope.match().ifPresent(match -> match(match, rule));
            share(filter, "filter_enabled")
                    .ifPresentOrElse(
                            percent -> portion("filter_enabled", percent, rule),
                            () -> rule.disabled()
                                    .warn(
                                            "filter_enabled: missing means 0 %, so the original limits nothing; the rule is disabled"));
            share(filter, "filter_enforced")
                    .ifPresentOrElse(percent -> portion("filter_enforced", percent, rule), () -> rule.shadow()
                            .warn("filter_enforced: missing means 0 %, so the original refuses nothing; the rule is in"
                                    + " shadow"));
            if (filter.flag("local_rate_limit_per_downstream_connection", false)) {
                rule.warn(
                        "local_rate_limit_per_downstream_connection: each connection has a bucket; here all share one");
            }
            return rule;
        }

        private static void match(Section match, RuleDraft rule) {
            PathScope paths = new PathScope();
            match.text("prefix").ifPresent(paths::prefix);
            match.text("path").ifPresent(paths::exact);
            match.text("path_separated_prefix").ifPresent(prefix -> paths.segments(prefix + "/**"));
            match.section("safe_regex")
                    .flatMap(regex -> regex.text("regex"))
                    .ifPresent(regex -> paths.regex(regex, true));
            paths.applyTo(rule);
            if (match.has("headers") || match.has("query_parameters")) {
                rule.warn(
                        "match: headers and query_parameters are not conditions of the rule, which counts more requests");
            }
        }

        private static void portion(String key, BigDecimal percent, RuleDraft rule) {
            if (percent.signum() == 0) {
                rule.shadow().comment(key + ": 0 %, so the rule is in shadow");
            } else if (percent.compareTo(BigDecimal.valueOf(100)) < 0) {
                rule.warn(key + ": the original limits " + percent.toPlainString()
                        + " % of the requests; the rule all of them");
            }
        }

        /** Returns a fraction in percent. */
        private static Optional<BigDecimal> share(Section filter, String key) {
            return filter.section(key)
                    .flatMap(fraction -> fraction.section("default_value"))
                    .map(value -> {
                        BigDecimal numerator = BigDecimal.valueOf(value.whole("numerator", 0));
                        return switch (value.text("denominator", "HUNDRED")) {
                            case "TEN_THOUSAND" -> numerator.movePointLeft(2);
                            case "MILLION" -> numerator.movePointLeft(4);
                            default -> numerator;
                        };
                    });
        }

        private static void bucket(Section bucket, RuleDraft rule, List<String> by) {
            long most = bucket.whole("max_tokens", 0);
            long fill = bucket.whole("tokens_per_fill", 1);
            String text = bucket.text("fill_interval", "1s");
            Optional<Duration> interval =
                    Amounts.parse(text, Duration.ofSeconds(1)).filter(span -> span.toNanos() >= 1_000);
            if (interval.isEmpty()) {
                bucket.refuse("fill_interval", PrintableText.text(text), "a duration such as 1s");
                return;
            }
            rule.limit(LimitDraft.by(by).absent("skip").tokenBucket(Amounts.rate(fill, interval.get()), most));
            if (fill > 1) {
                rule.warn("fill_interval: the original adds " + fill + " permits at once every "
                        + Amounts.span(interval.get()) + "; " + Difference.ofSteps(fill));
            }
        }
    }
}
