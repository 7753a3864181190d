package io.sluice.replay.imports.gateway;

import io.sluice.replay.imports.draft.Amounts;
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
import io.sluice.replay.imports.draft.SimpleRegex;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Rules from the plugins rate-limiting and rate-limiting-advanced of Kong, in its declarative configuration.
 *
 * <p>Windows of rate-limiting begin with the second, minute, hour, day, month and year of UTC, as fixed windows here do.
 */
public final class KongImporter implements Importer {

    private static final ForeignFormat FORMAT =
            new ForeignFormat("Kong", "the plugin rate-limiting or rate-limiting-advanced");

    private static final Map<String, Duration> PERIODS = new LinkedHashMap<>();

    static {
        PERIODS.put("second", Duration.ofSeconds(1));
        PERIODS.put("minute", Duration.ofMinutes(1));
        PERIODS.put("hour", Duration.ofHours(1));
        PERIODS.put("day", Duration.ofDays(1));
    }

    @Override
    public Imported read(ForeignFile file) throws ImportRefusedException {
        return ForeignTree.convert(file, FORMAT, (root, draft, errors) -> Section.of(root, errors)
                .ifPresentOrElse(
                        section -> new Conversion(section, draft).convert(),
                        () -> errors.add(
                                root.place(), "document: no mapping (expected: a declarative configuration)")));
    }

    /**
     * A plugin and the routes that it is attached to.
     *
     * @param routes the routes that the plugin applies to; empty for all routes
     */
    private record Attached(Section plugin, String owner, List<Section> routes, Optional<String> consumer) {}

    private static final class Conversion {

        private final Section root;
        private final DocumentDraft draft;
        private final List<Attached> plugins = new ArrayList<>();
        private final Map<String, List<Section>> routesOf = new LinkedHashMap<>();
        private final Map<String, Section> routes = new LinkedHashMap<>();

        Conversion(Section root, DocumentDraft draft) {
            this.root = root;
            this.draft = draft;
        }

        void convert() {
            List<Section> all = new ArrayList<>(root.sections("routes"));
            all.forEach(route -> reference(route, "service")
                    .ifPresent(service -> routesOf.computeIfAbsent(service, any -> new ArrayList<>())
                            .add(route)));
            for (Section service : root.sections("services")) {
                String name = service.text("name", "service");
                List<Section> own = service.sections("routes");
                routesOf.computeIfAbsent(name, any -> new ArrayList<>()).addAll(own);
                all.addAll(own);
                attach(service, name, routesOf.get(name), Optional.empty());
            }
            for (Section route : all) {
                String name = route.text("name", "route");
                routes.put(name, route);
                attach(route, name, List.of(route), Optional.empty());
            }
            for (Section consumer : root.sections("consumers")) {
                String name = consumer.text("username")
                        .or(() -> consumer.text("custom_id"))
                        .orElse("consumer");
                attach(consumer, name, List.of(), Optional.of(name));
            }
            root.sections("plugins").forEach(this::global);
            plugins.forEach(this::rule);
        }

        private void attach(Section owner, String name, List<Section> on, Optional<String> consumer) {
            owner.sections("plugins").forEach(plugin -> add(new Attached(plugin, name, on, consumer)));
        }

        private void add(Attached plugin) {
            if (plugin.plugin().text("name", "").startsWith("rate-limiting")) {
                plugins.add(plugin);
            }
        }

        /** Adds a plugin that names the object that it is attached to. A plugin without such a name applies to all requests. */
        private void global(Section plugin) {
            Optional<String> service = reference(plugin, "service");
            Optional<String> route = reference(plugin, "route");
            List<Section> on = new ArrayList<>();
            service.ifPresent(name -> on.addAll(routesOf.getOrDefault(name, List.of())));
            route.ifPresent(name -> Optional.ofNullable(routes.get(name)).ifPresent(on::add));
            if ((service.isPresent() || route.isPresent()) && on.isEmpty()) {
                draft.warn(plugin.place(), "plugin: its service or route is not in this file; it is not imported");
                return;
            }
            add(new Attached(plugin, route.or(() -> service).orElse("global"), on, reference(plugin, "consumer")));
        }

        private static Optional<String> reference(Section section, String key) {
            Optional<YamlValue> value = section.value(key);
            return value.filter(YamlMap.class::isInstance).isPresent()
                    ? section.section(key).flatMap(inner -> inner.text("name")
                            .or(() -> inner.text("username"))
                            .or(() -> inner.text("id")))
                    : section.text(key);
        }

        private void rule(Attached attached) {
            Section plugin = attached.plugin();
            RuleDraft rule = draft.rule(attached.owner(), plugin.place());
            if (!plugin.flag("enabled", true)) {
                rule.disabled();
            }
            scope(attached, rule);
            attached.consumer().ifPresent(name -> rule.match("user", List.of(SimpleRegex.literal(name))));
            Section config = plugin.section("config").orElse(plugin);
            List<String> by = by(config, rule, attached);
            if (plugin.text("name", "").equals("rate-limiting-advanced")) {
                advanced(config, by, rule);
            } else {
                plain(config, by, rule);
            }
            if (plugins.size() > 1) {
                rule.warn(
                        "plugin: Kong applies only the most specific plugin to a request; here every rule that matches"
                                + " applies, so one request may count in several of these " + plugins.size());
            }
        }

        private static void scope(Attached attached, RuleDraft rule) {
            PathScope paths = new PathScope();
            List<String> methods = new ArrayList<>();
            List<String> hosts = new ArrayList<>();
            boolean anyMethod = attached.routes().isEmpty();
            boolean anyHost = attached.routes().isEmpty();
            for (Section route : attached.routes()) {
                route.texts("paths").forEach(path -> {
                    if (path.startsWith("~")) {
                        paths.regex("^" + path.substring(1).replaceFirst("^\\^", ""), false);
                    } else {
                        paths.prefix(path);
                    }
                });
                if (route.texts("paths").isEmpty()) {
                    paths.prefix("/");
                }
                methods.addAll(route.texts("methods"));
                hosts.addAll(route.texts("hosts"));
                anyMethod |= route.texts("methods").isEmpty();
                anyHost |= route.texts("hosts").isEmpty();
                if (route.has("headers") || route.has("snis")) {
                    rule.warn("route: its headers or snis are not conditions of the rule, which counts more requests");
                }
            }
            paths.applyTo(rule);
            if (!anyMethod) {
                rule.methods(methods.stream().distinct().toList());
            }
            if (!anyHost) {
                rule.match("header.host", hosts.stream().distinct().toList());
            }
            if (attached.routes().size() > 1 && (!methods.isEmpty() || !hosts.isEmpty())) {
                rule.warn(
                        "routes: their paths, methods and hosts are combined, so the rule may count requests that no route"
                                + " takes");
            }
        }

        private static List<String> by(Section config, RuleDraft rule, Attached attached) {
            String by =
                    config.text("limit_by").or(() -> config.text("identifier")).orElse("consumer");
            switch (by) {
                case "service" -> {
                    return List.of();
                }
                case "ip" -> {
                    return List.of("ip");
                }
                case "consumer" -> {
                    return List.of("user");
                }
                case "credential" -> {
                    rule.warn("limit_by: credential counts each key of a consumer alone; here the consumer is counted");
                    return List.of("user");
                }
                case "header" -> {
                    return List.of("header." + config.text("header_name", "").toLowerCase(Locale.ROOT));
                }
                case "path" -> {
                    rule.match("path", List.of(SimpleRegex.literal(config.text("path", "/"))));
                    return List.of();
                }
                default -> {
                    rule.shadow()
                            .warn("limit_by: " + PrintableText.text(by) + " of " + PrintableText.text(attached.owner())
                                    + " cannot be said; the rule is in shadow and counts by user");
                    return List.of("user");
                }
            }
        }

        private static void plain(Section config, List<String> by, RuleDraft rule) {
            PERIODS.forEach((name, span) -> config.number(name)
                    .ifPresent(limit -> rule.limit(LimitDraft.by(by).fixedWindow(limit.longValue(), span))));
            for (String name : List.of("month", "year")) {
                config.number(name)
                        .ifPresent(limit -> rule.limit(LimitDraft.by(by).calendarWindow(limit.longValue(), name)));
            }
            String policy = config.text("policy", "local");
            if (policy.equals("local")) {
                rule.local();
            } else {
                rule.onFailure(config.flag("fault_tolerant", true) ? "open" : "closed");
                rule.comment("policy: " + PrintableText.text(policy)
                        + " lets requests that come at the same time exceed the limit; here they cannot");
            }
        }

        private static void advanced(Section config, List<String> by, RuleDraft rule) {
            List<String> limits = config.texts("limit");
            List<String> windows = config.texts("window_size");
            boolean sliding = config.text("window_type", "sliding").equals("sliding");
            if (limits.isEmpty() || limits.size() != windows.size()) {
                config.refuse("limit", limits.size() + " numbers", "as many as window_size has, at least one");
                return;
            }
            for (int i = 0; i < limits.size(); i++) {
                Optional<Long> limit = number(config, "limit", limits.get(i));
                Optional<Long> window = number(config, "window_size", windows.get(i));
                if (limit.isPresent() && window.isPresent()) {
                    Duration span = Duration.ofSeconds(window.get());
                    rule.limit(
                            sliding
                                    ? LimitDraft.by(by).slidingWindow(limit.get(), span, 1, true)
                                    : LimitDraft.by(by).fixedWindow(limit.get(), span));
                }
            }
            if (config.text("strategy", "local").equals("local")) {
                rule.local();
            }
            rule.comment(
                    "sync_rate: Kong's nodes exchange counts at intervals and admit more until then; here they do not");
            if (sliding && !config.flag("disable_penalty", false)) {
                rule.warn(
                        "window_type: Kong also counts requests that it refuses, because disable_penalty is not set, so a caller"
                                + " that does not stop may never pass there; here refused requests do not count");
            }
        }

        private static Optional<Long> number(Section config, String key, String text) {
            Optional<Long> number = Amounts.number(text)
                    .filter(n -> n.signum() > 0 && n.stripTrailingZeros().scale() <= 0)
                    .map(BigDecimal::longValue);
            if (number.isEmpty()) {
                config.refuse(key, text, "a whole number, at least 1");
            }
            return number;
        }
    }
}
