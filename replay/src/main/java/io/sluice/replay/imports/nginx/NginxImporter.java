package io.sluice.replay.imports.nginx;

import io.sluice.replay.imports.draft.Amounts;
import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ForeignFormat;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.replay.imports.draft.Importer;
import io.sluice.replay.imports.draft.LimitDraft;
import io.sluice.replay.imports.draft.PathScope;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.rules.yaml.Digits;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.PrintableText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Rules from {@code limit_req} and {@code limit_conn} of nginx.
 *
 * <p>nginx lets a request pass if its excess, which drains at the rate of the zone, is at most the burst. Its first request has an
 * excess of zero. This is a token bucket with room for one permit more than the burst, filled at the same rate, so the two admit
 * the same requests. nginx computes in milliseconds and in thousandths of a request; a token bucket here is finer.
 */
public final class NginxImporter implements Importer {

    private static final ForeignFormat FORMAT = new ForeignFormat("nginx", "limit_req or limit_conn");

    /** The time after which a permit of a limit on connections expires. nginx itself has no such time. */
    static final Duration CONNECTION_TTL = Duration.ofHours(1);

    private static final long NO_LIMIT = 1_000_000_000;
    private static final int MOST_USES = 2_000;

    /** A warning names at most this many places and counts the others. */
    private static final int SHOWN_REPLACED = 10;

    /** The maximum number of places that are counted for one use of a zone. */
    private static final int MAX_REPLACED = 1_000;

    @Override
    public Imported read(ForeignFile file) throws ImportRefusedException {
        return DocumentDraft.write(file.name(), FORMAT, draft -> {
            List<Directive> all = new NginxFiles(file, draft).parse(file, 0);
            List<Directive> blocks =
                    all.stream().filter(each -> each.name().equals("http")).toList();
            // A file of conf.d has no http block of its own.
            Directive http =
                    blocks.isEmpty() ? new Directive(draft.spot(Place.START), "http", List.of(), all) : blocks.get(0);
            all.forEach(each -> draft.found(each.name()));
            requests(http, draft);
            connections(http, draft);
        });
    }

    private static void requests(Directive http, DocumentDraft draft) throws ImportRefusedException {
        Map<String, List<NginxUse>> uses = byZone(http, "limit_req");
        for (Directive zone : http.all("limit_req_zone")) {
            String name = zoneName(zone);
            List<NginxUse> own = uses.remove(name);
            if (own == null) {
                draft.comment(zone.spot(), "zone " + PrintableText.text(name) + ": no limit_req uses it");
                continue;
            }
            for (RuleUse use : together(own, name, draft)) {
                limitRequests(zone, use, http);
            }
        }
        unknown(uses, draft);
    }

    private static void connections(Directive http, DocumentDraft draft) throws ImportRefusedException {
        Map<String, List<NginxUse>> uses = byZone(http, "limit_conn");
        for (Directive zone : http.all("limit_conn_zone")) {
            String name = zoneName(zone);
            List<NginxUse> own = uses.remove(name);
            if (own == null) {
                draft.comment(zone.spot(), "zone " + PrintableText.text(name) + ": no limit_conn uses it");
                continue;
            }
            for (RuleUse use : together(own, name, draft)) {
                long most = number(use.first().limit(), use.first().limit().argument(1), "limit_conn");
                NginxKey key = NginxKey.of(zone.argument(0), http);
                LimitDraft limit = LimitDraft.by(key.by()).absent("skip").concurrency(most, CONNECTION_TTL);
                use.rule().limit(limit).local();
                exempt(use.rule(), key, Map.of("limit", 100_000L));
                key.warn(use.rule());
                use.rule()
                        .comment("a permit is given up after " + Amounts.span(CONNECTION_TTL)
                                + " (ttl) if its holder died; nginx has no such time");
            }
        }
        unknown(uses, draft);
    }

    private record RuleUse(RuleDraft rule, NginxUse first) {}

    /** Merges all uses of a zone that have the same numbers into one rule, because they share one count. */
    private static List<RuleUse> together(List<NginxUse> uses, String zone, DocumentDraft draft) {
        Map<List<Object>, List<NginxUse>> groups = new LinkedHashMap<>();
        uses.forEach(use ->
                groups.computeIfAbsent(use.numbers(), any -> new ArrayList<>()).add(use));
        List<RuleUse> rules = new ArrayList<>();
        for (List<NginxUse> group : groups.values()) {
            NginxUse first = group.get(0);
            RuleDraft rule = draft.rule(zone, first.spot());
            if (first.dryRun()) {
                rule.shadow().comment("limit_req_dry_run or limit_conn_dry_run: the rule is in shadow");
            }
            hosts(rule, first.server());
            scope(rule, group);
            if (groups.size() > 1) {
                rule.warn("zone " + PrintableText.text(zone) + ": " + groups.size()
                        + " rules come from this zone, because its uses differ; each has its own count, so one caller may get"
                        + " up to " + groups.size() + " times as much in all");
            }
            rules.add(new RuleUse(rule, first));
        }
        return rules;
    }

    private static void hosts(RuleDraft rule, List<String> names) {
        List<String> hosts = new ArrayList<>();
        for (String name : names) {
            if (name.startsWith("~")) {
                rule.shadow()
                        .warn("server_name: " + PrintableText.text(name)
                                + " is a regular expression; the rule is in shadow and counts requests to every host");
                return;
            }
            if (name.startsWith(".")) {
                hosts.add(name.substring(1));
                hosts.add("*" + name);
            } else {
                hosts.add(name);
            }
        }
        if (!hosts.isEmpty() && !hosts.contains("_") && !hosts.contains("")) {
            rule.match("header.host", hosts);
        }
    }

    private static void scope(RuleDraft rule, List<NginxUse> uses) {
        PathScope paths = new PathScope();
        Set<String> replaced = new LinkedHashSet<>();
        for (NginxUse use : uses) {
            replaced.addAll(use.replacedIn());
            if (use.location().isEmpty()) {
                paths.prefix("/");
            }
            use.location().forEach(location -> path(rule, paths, location));
        }
        // The locations of these uses have the same limit.
        uses.forEach(
                use -> use.location().forEach(location -> replaced.remove(new NginxLocation(location).toString())));
        paths.applyTo(rule);
        if (!replaced.isEmpty()) {
            int more = replaced.size() - SHOWN_REPLACED;
            rule.warn("nginx does not apply this limit to "
                    + replaced.stream().limit(SHOWN_REPLACED).collect(Collectors.joining(", "))
                    + (more > 0 ? " and " + (more >= MAX_REPLACED ? "at least " : "") + more + " more" : "")
                    + ", which it handles elsewhere; here the requests to them that match this rule count in"
                    + " it as well");
        }
    }

    private static void path(RuleDraft rule, PathScope paths, Directive location) {
        String first = location.argument(0);
        String second = location.argument(1);
        switch (first) {
            case "=" -> paths.exact(second);
            case "^~" -> paths.prefix(second);
            case "~" -> paths.regex(second, false);
            case "~*" -> {
                paths.regex(second, false);
                rule.warn("location ~* " + PrintableText.text(second)
                        + ": nginx ignores upper and lower case; the rule only matches paths as they are written here");
            }
            default -> {
                if (first.startsWith("@")) {
                    paths.regex("[" + first, false);
                } else {
                    paths.prefix(first);
                }
            }
        }
    }

    private static void limitRequests(Directive zone, RuleUse use, Directive http) throws ImportRefusedException {
        NginxUse limit = use.first();
        RuleDraft rule = use.rule();
        BigDecimal perSecond = rate(zone, rule);
        long burst = limit.option("burst").isEmpty() ? 0 : number(limit.limit(), limit.option("burst"), "burst");
        long atOnce = limit.limit().arguments().contains("nodelay")
                ? burst
                : limit.option("delay").isEmpty()
                        ? 0
                        : Math.min(burst, number(limit.limit(), limit.option("delay"), "delay"));
        NginxKey key = NginxKey.of(zone.argument(0), http);
        LimitDraft bucket = LimitDraft.by(key.by()).absent("skip").tokenBucket(written(zone, perSecond), atOnce + 1);
        if (burst > atOnce && perSecond.signum() > 0) {
            bucket.maxWait(Amounts.timeFor(burst - atOnce, perSecond));
            rule.comment("nginx delays up to " + (burst - atOnce)
                    + " requests; max_wait is the longest such delay, and the caller of the decision waits for it");
        }
        rule.limit(bucket);
        exempt(rule, key, Map.of("rate", NO_LIMIT + "/s", "burst", NO_LIMIT));
        key.warn(rule);
    }

    private static void exempt(RuleDraft rule, NginxKey key, Map<String, Object> numbers) {
        key.exempt().forEach((attribute, values) -> rule.override(attribute, values, numbers));
    }

    /** Returns the rate as nginx computes it, in whole thousandths per second. */
    private static BigDecimal rate(Directive zone, RuleDraft rule) throws ImportRefusedException {
        String text = NginxUse.option(zone, "rate");
        boolean minute = text.endsWith("r/m");
        if (!minute && !text.endsWith("r/s")) {
            throw new ImportRefusedException(
                    zone.spot(), "rate: " + PrintableText.text(text) + " (expected: a rate such as 10r/s or 30r/m)");
        }
        long permits = number(zone, text.replaceFirst("r/[sm]$", ""), "rate");
        BigDecimal thousandths = BigDecimal.valueOf(permits)
                .multiply(BigDecimal.valueOf(1_000))
                .divide(BigDecimal.valueOf(minute ? 60 : 1), 0, RoundingMode.DOWN);
        if (minute && permits * 1_000 % 60 != 0) {
            rule.comment(
                    zone.spot(),
                    "rate=" + text + ": nginx rounds it down to " + thousandths.movePointLeft(3)
                            + " requests per second");
        }
        return thousandths.movePointLeft(3);
    }

    private static String written(Directive zone, BigDecimal perSecond) {
        String text = NginxUse.option(zone, "rate");
        OptionalLong permits = Digits.whole(text.replaceFirst("r/[sm]$", ""));
        boolean exact = !text.endsWith("r/m") || permits.orElse(1) * 1_000 % 60 == 0;
        return exact
                ? Amounts.rate(permits.orElse(0), text.endsWith("r/m") ? Duration.ofMinutes(1) : Duration.ofSeconds(1))
                : Amounts.rate(perSecond);
    }

    private static long number(Directive directive, String text, String name) throws ImportRefusedException {
        OptionalLong number = Digits.whole(text);
        if (number.isEmpty() || number.getAsLong() < 0 || number.getAsLong() > NO_LIMIT) {
            throw new ImportRefusedException(
                    directive.spot(), name + ": " + PrintableText.text(text) + " (expected: 0.." + NO_LIMIT + ")");
        }
        return number.getAsLong();
    }

    private static String zoneName(Directive directive) {
        String zone = NginxUse.option(directive, "zone");
        int colon = zone.indexOf(':');
        return colon < 0 ? zone : zone.substring(0, colon);
    }

    private static void unknown(Map<String, List<NginxUse>> uses, DocumentDraft draft) {
        uses.forEach((zone, all) -> draft.warn(
                all.get(0).spot(),
                "zone " + PrintableText.text(zone)
                        + ": not defined in the files that were read, so its limit is missing"));
    }

    /** Finds all uses of zones by a directive, in the order of the file. */
    private static Map<String, List<NginxUse>> byZone(Directive http, String name) throws ImportRefusedException {
        if (count(http, name) > MOST_USES) {
            throw new ImportRefusedException(
                    http.spot(), name + ": more than " + MOST_USES + " times (expected: at most that many)");
        }
        Map<String, List<NginxUse>> uses = new LinkedHashMap<>();
        List<Directive> servers = http.all("server");
        boolean dry = isDry(http, name, false);
        collect(http, name, List.of(), List.of(), replaced(servers, name), dry, uses);
        for (Directive server : servers) {
            List<String> names = server.all("server_name").stream()
                    .flatMap(each -> each.arguments().stream())
                    .toList();
            boolean serverDry = isDry(server, name, dry);
            // A single server receives the requests to all names.
            List<String> hosts = servers.size() == 1 ? List.of() : names;
            collect(server, name, hosts, List.of(), replaced(server.all("location"), name), serverDry, uses);
            locations(server, name, hosts, List.of(), serverDry, uses);
        }
        return uses;
    }

    /**
     * Finds the uses within locations.
     *
     * @param outside the regular expressions beside the surrounding locations, which nginx tries after the expressions inside
     */
    private static void locations(
            Directive outer,
            String name,
            List<String> hosts,
            List<NginxLocation> outside,
            boolean dry,
            Map<String, List<NginxUse>> uses) {
        List<NginxLocation> all =
                outer.all("location").stream().map(NginxLocation::new).toList();
        for (NginxLocation each : all) {
            Directive location = each.directive();
            if (count(location, name) == 0) {
                continue;
            }
            boolean locationDry = isDry(location, name, dry);
            List<NginxLocation> rivals = new ArrayList<>(all);
            rivals.addAll(outside);
            if (!location.all(name).isEmpty()) {
                List<String> replaced = replaced(location.all("location"), name);
                rivals.stream()
                        .filter(each::losesTo)
                        .limit(SHOWN_REPLACED + MAX_REPLACED)
                        .forEach(rival -> replaced.add(rival.toString()));
                collect(location, name, hosts, List.of(location), replaced, locationDry, uses);
            }
            List<NginxLocation> inside = rivals.stream()
                    .filter(NginxLocation::isRegex)
                    .filter(each::losesTo)
                    .toList();
            locations(location, name, hosts, inside, locationDry, uses);
        }
    }

    private static List<String> replaced(List<Directive> inner, String name) {
        List<String> replaced = new ArrayList<>();
        for (Directive each : inner) {
            if (!each.all(name).isEmpty()) {
                replaced.add(each.name() + " " + PrintableText.text(String.join(" ", each.arguments())));
            }
            replaced.addAll(replaced(each.all("location"), name));
        }
        return replaced;
    }

    private static long count(Directive block, String name) {
        long count = 0;
        for (Directive each : block.block()) {
            count += each.name().equals(name) ? 1 : count(each, name);
        }
        return count;
    }

    private static boolean isDry(Directive block, String name, boolean inherited) {
        List<Directive> own = block.all(name + "_dry_run");
        return own.isEmpty() ? inherited : own.get(0).argument(0).equals("on");
    }

    private static void collect(
            Directive block,
            String name,
            List<String> hosts,
            List<Directive> location,
            List<String> replaced,
            boolean dry,
            Map<String, List<NginxUse>> uses) {
        List<String> some =
                replaced.stream().limit(SHOWN_REPLACED + MAX_REPLACED).toList();
        for (Directive limit : block.all(name)) {
            String zone = name.equals("limit_req") ? zoneName(limit) : limit.argument(0);
            uses.computeIfAbsent(zone, any -> new ArrayList<>()).add(new NginxUse(limit, hosts, location, some, dry));
        }
    }
}
