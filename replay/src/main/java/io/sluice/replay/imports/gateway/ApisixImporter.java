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
import io.sluice.replay.imports.draft.SimpleRegex;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rules from the plugins limit-req, limit-count and limit-conn of Apache APISIX, in its YAML or in JSON of its Admin API.
 *
 * <p>limit-req decides as nginx does: a token bucket with room for one permit more than its burst.
 */
public final class ApisixImporter implements Importer {

    private static final ForeignFormat FORMAT =
            new ForeignFormat("Apache APISIX", "the plugin limit-req, limit-count or limit-conn");

    private static final Duration CONNECTION_TTL = Duration.ofHours(1);

    @Override
    public Imported read(ForeignFile file) throws ImportRefusedException {
        return ForeignTree.convert(file, FORMAT, ApisixImporter::convert);
    }

    private static void convert(YamlValue value, DocumentDraft draft, Errors errors) {
        Optional<Section> root = Section.of(value, errors);
        if (root.isEmpty()) {
            errors.add(value.place(), "document: no mapping (expected: routes, services or another object of APISIX)");
            return;
        }
        List<Section> services = objects(root.get(), "services");
        List<Section> routes = objects(root.get(), "routes");
        // An answer of the Admin API.
        routes.addAll(objects(root.get(), "list"));
        Map<String, List<Section>> byService = new HashMap<>();
        int number = 0;
        for (Section route : routes) {
            number++;
            owner(route, "route-" + number, List.of(route), draft);
            byService
                    .computeIfAbsent(route.text("service_id", ""), any -> new ArrayList<>())
                    .add(route);
        }
        for (Section service : services) {
            List<Section> own = byService.getOrDefault(service.text("id", "none"), List.of());
            own.forEach(route -> inherited(service, route, draft));
            owner(service, "service", own, draft);
        }
        objects(root.get(), "global_rules").forEach(rule -> owner(rule, "global", List.of(), draft));
        for (Section consumer : objects(root.get(), "consumers")) {
            List<RuleDraft> rules = owner(consumer, consumer.text("username", "consumer"), List.of(), draft);
            rules.forEach(
                    rule -> rule.match("user", List.of(SimpleRegex.literal(consumer.text("username", "consumer")))));
        }
        if (root.get().has("plugins")
                && !root.get().has("routes")
                && root.get().value("plugins").isPresent()) {
            owner(root.get(), "route", List.of(root.get()), draft);
        }
    }

    /** Notes that a plugin of a route replaces the plugin of its service. */
    private static void inherited(Section service, Section route, DocumentDraft draft) {
        for (String plugin : List.of("limit-req", "limit-count", "limit-conn")) {
            if (plugin(service, plugin).isPresent() && plugin(route, plugin).isPresent()) {
                draft.warn(
                        route.place(),
                        plugin
                                + ": this route replaces the plugin of its service; here its requests count in both rules");
            }
        }
    }

    private static Optional<Section> plugin(Section owner, String name) {
        return owner.section("plugins").flatMap(plugins -> plugins.section(name));
    }

    /** Returns the objects of a list; for a list of the Admin API, their values. */
    private static List<Section> objects(Section root, String key) {
        List<Section> objects = new ArrayList<>();
        for (Section each : root.sections(key)) {
            objects.add(each.section("value").orElse(each));
        }
        return objects;
    }

    private static List<RuleDraft> owner(Section owner, String fallback, List<Section> routes, DocumentDraft draft) {
        String name = owner.text("name").or(() -> owner.text("id")).orElse(fallback);
        List<RuleDraft> rules = new ArrayList<>();
        Optional<Section> plugins = owner.section("plugins");
        for (String plugin : List.of("limit-req", "limit-count", "limit-conn")) {
            plugins.flatMap(all -> all.section(plugin)).ifPresent(config -> {
                RuleDraft rule = draft.rule(name, config.place());
                scope(routes, rule);
                switch (plugin) {
                    case "limit-req" -> requests(config, rule);
                    case "limit-count" -> count(config, rule);
                    default -> connections(config, rule);
                }
                if (config.section("_meta")
                        .filter(meta -> meta.flag("disable", false))
                        .isPresent()) {
                    rule.disabled();
                }
                rules.add(rule);
            });
        }
        return rules;
    }

    private static void scope(List<Section> routes, RuleDraft rule) {
        PathScope paths = new PathScope();
        List<String> methods = new ArrayList<>();
        List<String> hosts = new ArrayList<>();
        boolean anyMethod = routes.isEmpty();
        boolean anyHost = routes.isEmpty();
        for (Section route : routes) {
            List<String> uris = new ArrayList<>(route.texts("uri"));
            uris.addAll(route.texts("uris"));
            uris.forEach(uri -> {
                if (uri.endsWith("*")) {
                    paths.prefix(uri.substring(0, uri.length() - 1));
                } else {
                    paths.exact(uri);
                }
            });
            List<String> own = new ArrayList<>(route.texts("host"));
            own.addAll(route.texts("hosts"));
            hosts.addAll(own);
            methods.addAll(route.texts("methods"));
            anyMethod |= route.texts("methods").isEmpty();
            anyHost |= own.isEmpty();
            if (route.has("vars") || route.has("filter_func") || route.has("remote_addrs")) {
                rule.warn("route: vars, filter_func and remote_addrs are not conditions of the rule, which counts more"
                        + " requests");
            }
        }
        paths.applyTo(rule);
        if (!anyMethod) {
            rule.methods(methods.stream().distinct().toList());
        }
        if (!anyHost) {
            rule.match("header.host", hosts.stream().distinct().toList());
        }
    }

    private static void requests(Section config, RuleDraft rule) {
        BigDecimal rate = config.number("rate").orElse(BigDecimal.ONE);
        long burst =
                Amounts.floor(config.number("burst").orElse(BigDecimal.ZERO)).orElse(0);
        boolean nodelay = config.flag("nodelay", false);
        LimitDraft limit = LimitDraft.by(by(config, rule)).tokenBucket(Amounts.rate(rate), (nodelay ? burst : 0) + 1);
        if (!nodelay && rate.signum() > 0) {
            limit.maxWait(Amounts.timeFor(burst, rate));
        }
        rule.limit(limit);
        policy(config, rule);
    }

    private static void count(Section config, RuleDraft rule) {
        long count = config.whole("count", 0);
        Duration window = Duration.ofSeconds(Math.max(1, config.whole("time_window", 1)));
        rule.limit(LimitDraft.by(by(config, rule)).fixedWindow(count, window));
        rule.warn("time_window: " + Difference.ofWindows("with the first request of a caller", count, window));
        if (config.has("group")) {
            rule.warn("group: routes of one group share a count; here each rule has its own");
        }
        policy(config, rule);
    }

    private static void connections(Section config, RuleDraft rule) {
        long conn = config.whole("conn", 0);
        long burst = config.whole("burst", 0);
        rule.limit(LimitDraft.by(by(config, rule)).concurrency(conn + burst, CONNECTION_TTL));
        rule.comment("a permit is given up after " + Amounts.span(CONNECTION_TTL) + " (ttl) if its holder died");
        if (burst > 0) {
            rule.warn("burst: the original delays requests above " + conn + " by default_conn_delay; here up to "
                    + (conn + burst) + " pass without a delay");
        }
        policy(config, rule);
    }

    private static void policy(Section config, RuleDraft rule) {
        if (config.text("policy", "local").equals("local")) {
            rule.local();
        } else {
            rule.onFailure(config.flag("allow_degradation", false) ? "open" : "closed");
        }
    }

    private static List<String> by(Section config, RuleDraft rule) {
        String key = config.text("key", "remote_addr");
        String type = config.text("key_type", "var");
        if (type.equals("constant")) {
            return List.of();
        }
        List<String> by = new ArrayList<>();
        for (String variable : key.replace("$", " ").strip().split("\\s+", -1)) {
            Optional<String> attribute = attribute(variable);
            attribute.ifPresentOrElse(by::add, () -> rule.shadow()
                    .warn("key: " + PrintableText.text(variable)
                            + " cannot be said; the rule is in shadow and counts by the rest of the key"));
        }
        return by;
    }

    private static Optional<String> attribute(String variable) {
        return switch (variable) {
            case "remote_addr", "http_x_real_ip", "http_x_forwarded_for" -> Optional.of("ip");
            case "consumer_name" -> Optional.of("user");
            case "host", "http_host" -> Optional.of("header.host");
            case "uri" -> Optional.of("path");
            case "service_id" -> Optional.of("service");
            case "request_method" -> Optional.of("method");
            default ->
                variable.startsWith("http_") && variable.length() > 5
                        ? Optional.of("header." + variable.substring(5).replace('_', '-'))
                        : variable.startsWith("arg_") && variable.length() > 4
                                ? Optional.of("query." + variable.substring(4))
                                : Optional.empty();
        };
    }
}
