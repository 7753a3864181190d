package io.sluice.center.console;

import io.sluice.center.callers.Refusals;
import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** The callers of a shop: who is refused, and what was decided about whom. The same moment always has the same callers. */
final class ShopCallers {

    /** A caller that is refused by a limit. */
    private record Refused(
            String rule, String limit, String attribute, String masked, String plain, int perMinute, long allows) {}

    private static final List<Refused> USUAL = List.of(
            new Refused("login", "login.0", "ip", "203.0.113.*", "203.0.113.77", 14, 10),
            new Refused("login", "login.0", "ip", "2001:db8:1:*", "2001:db8:1:2::77", 5, 10),
            new Refused("guessing", "guessing.0", "ip", "192.0.2.*", "192.0.2.40", 9, 60),
            new Refused("catalog", "catalog.0", "ip", "203.0.113.*", "203.0.113.77", 4, 150),
            new Refused("sms", "sms.minute", "header.x-phone", "+****78", "+4917612345678", 6, 1),
            new Refused("sms", "sms.hour", "header.x-phone", "+****09", "+4915155500109", 3, 5),
            new Refused("coupons", "coupons.0", "user", "u****31", "u-100731", 7, 10),
            new Refused("orders", "orders.user", "user", "u****86", "u-100086", 8, 20),
            new Refused("globex-api", "globex-api.user", "user", "s****bi", "svc-bi", 11, 300),
            new Refused("acme-api", "acme-api.user", "user", "s****nc", "svc-sync", 9, 600),
            new Refused("checkout", "checkout.0", "user", "u****12", "u-204412", 2, 2));

    private static final List<Refused> SPIKE = List.of(
            new Refused("search", "search.tenant", "tenant", "a****", "acme", 420, 1_200),
            new Refused("search", "search.tenant", "tenant", "i****ch", "initech", 230, 1_200),
            new Refused("search", "search.user", "user", "u****86", "u-100086", 64, 15),
            new Refused("search", "search.user", "user", "u****54", "u-318854", 22, 15));

    private static final List<String[]> PASSED = List.of(
            new String[] {"catalog", "catalog.0", "catalog-service", "/api/catalog/shoes", "GET"},
            new String[] {"images", "images.0", "catalog-service", "/images/4711.webp", "GET"},
            new String[] {"cart", "cart.user", "cart-service", "/api/cart/items", "POST"},
            new String[] {"orders", "orders.user", "order-service", "/api/orders/81944", "GET"},
            new String[] {"suggest", "suggest.0", "search-service", "/api/suggest", "GET"},
            new String[] {"payments", "payments.user", "payment-service", "/api/payments", "POST"});

    private static final Map<String, String[]> PLACES = Map.of(
            "login", new String[] {"user-service", "/api/login", "POST"},
            "guessing", new String[] {"", "/wp-login.php", "GET"},
            "catalog", new String[] {"catalog-service", "/api/catalog/shoes", "GET"},
            "sms", new String[] {"message-service", "/sms/send", "POST"},
            "coupons", new String[] {"cart-service", "/api/coupons/XMAS-1", "GET"},
            "orders", new String[] {"order-service", "/api/orders", "POST"},
            "globex-api", new String[] {"report-service", "/api/reports", "GET"},
            "acme-api", new String[] {"catalog-service", "/api/stock", "GET"},
            "checkout", new String[] {"order-service", "/api/checkout", "POST"},
            "search", new String[] {"search-service", "/api/search", "GET"});

    private ShopCallers() {}

    private static List<Refused> at(boolean isSpike) {
        List<Refused> all = new ArrayList<>(USUAL);
        if (isSpike) {
            all.addAll(SPIKE);
        }
        return all;
    }

    private static CallerMark mark(Refused each) {
        return new CallerMark(each.masked, Refusals.hash(each.attribute + "=" + each.plain));
    }

    /** Returns who was refused in a minute at a node, packed. */
    static byte[] minute(long minute, int node, boolean isSpike) {
        Random random = new Random(minute * 31 + node);
        Refusals refusals = new Refusals(minute);
        for (Refused each : at(isSpike)) {
            long times = Math.round(each.perMinute * (0.6 + 0.8 * random.nextDouble()) / (node + 2));
            if (times > 0) {
                refusals.add(each.rule, each.limit, each.attribute, mark(each), times);
                if (!each.attribute.startsWith("header.")) {
                    refusals.add("", "", each.attribute, mark(each), times);
                }
            }
        }
        for (int i = 0; i < 12; i++) {
            String masked = String.format(Locale.ROOT, "u****%02d", random.nextInt(100));
            refusals.add("login", "login.0", "ip", Refusals.caller(random.nextInt(200) + ".0.113.*"), 1)
                    .add("", "", "user", Refusals.caller(masked), 1);
        }
        refusals.tenant("a****", 1_400, isSpike ? 420 : 22)
                .tenant("g****ex", 640, 24)
                .tenant("i****ch", 800, isSpike ? 230 : 6);
        return refusals.pack();
    }

    /** Returns some decisions of a second. */
    static List<DecisionEntry> decisions(long second, int node, boolean isSpike, long version, int count) {
        Random random = new Random(second * 131 + node);
        List<DecisionEntry> decisions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long at = second * 1_000 + i * 1_000L / count + random.nextInt(1_000 / count);
            int kind = random.nextInt(20);
            decisions.add(kind < 9 ? passed(at, random, version) : refused(at, random, isSpike, version, kind));
        }
        return decisions;
    }

    private static DecisionEntry passed(long at, Random random, long version) {
        String[] one = PASSED.get(random.nextInt(PASSED.size()));
        int user = 100_000 + random.nextInt(300_000);
        CallerMark mark =
                new CallerMark(String.format(Locale.ROOT, "u****%02d", user % 100), Refusals.hash("user=u-" + user));
        return entry(
                at,
                random,
                one[2],
                one[3],
                one[4],
                "user",
                mark,
                one[0],
                one[1],
                Outcome.ALLOWED,
                "allowed",
                version,
                random.nextInt(12),
                20);
    }

    private static DecisionEntry refused(long at, Random random, boolean isSpike, long version, int kind) {
        if (kind == 19) {
            CallerMark mark = new CallerMark("198.51.100.*", Refusals.hash("ip=198.51.100.9"));
            return entry(
                    at,
                    random,
                    "",
                    "/api/login",
                    "POST",
                    "ip",
                    mark,
                    "banned",
                    "",
                    Outcome.DENIED,
                    "rule banned denies",
                    version,
                    0,
                    0);
        }
        List<Refused> all = isSpike && kind > 12 ? SPIKE : USUAL;
        Refused each = all.get(random.nextInt(all.size()));
        String[] place = PLACES.getOrDefault(each.rule, new String[] {"", "/", "GET"});
        return entry(
                at,
                random,
                place[0],
                place[1],
                place[2],
                each.attribute,
                mark(each),
                each.rule,
                each.limit,
                Outcome.REJECTED,
                "limit " + each.limit + " has nothing left",
                version,
                each.allows,
                each.allows);
    }

    private static DecisionEntry entry(
            long at,
            Random random,
            String service,
            String resource,
            String method,
            String attribute,
            CallerMark mark,
            String rule,
            String limit,
            Outcome outcome,
            String reason,
            long version,
            long current,
            long threshold) {
        return new DecisionEntry(
                at,
                String.format(Locale.ROOT, "%08x-%04x", random.nextInt(), random.nextInt(65_536)),
                String.format(Locale.ROOT, "%016x%016x", random.nextLong(), random.nextLong()),
                service,
                resource,
                method,
                Map.of(attribute, mark),
                rule,
                limit,
                outcome,
                reason,
                current,
                threshold,
                1,
                "remote",
                "",
                version,
                Optional.of(mark));
    }

    private static Optional<Refused> named(String hash) {
        return at(true).stream().filter(each -> mark(each).hash().equals(hash)).findFirst();
    }

    /** Returns the limits of a caller, as the node that knows it tells. */
    static Optional<String> explained(String hash) {
        return named(hash)
                .map(first -> "{\"allowed\":false,\"limits\":["
                        + String.join(
                                ",",
                                at(true).stream()
                                        .filter(each -> mark(each).hash().equals(hash))
                                        .map(ShopCallers::limit)
                                        .toList())
                        + "]}");
    }

    /** Returns the limits of a request. */
    static String explained(Map<String, String> request) {
        List<String> limits = at(true).stream()
                .filter(each -> PLACES.containsKey(each.rule)
                        && PLACES.get(each.rule)[1].equals(request.get("path"))
                        && each.plain.equals(request.get(each.attribute)))
                .map(ShopCallers::limit)
                .toList();
        return "{\"allowed\":" + limits.isEmpty() + ",\"limits\":[" + String.join(",", limits) + "]}";
    }

    private static String limit(Refused each) {
        return "{\"id\":\"" + each.limit + "\",\"rule\":\"" + each.rule + "\",\"by\":[\"" + each.attribute
                + "\"],\"key\":\"" + each.attribute + "=" + each.masked + "\",\"limit\":" + each.allows + ",\"used\":"
                + each.allows + ",\"remaining\":0,\"would_allow\":false,\"retry_after_ms\":12400}";
    }

    /** Returns who a caller is. */
    static Optional<String> revealed(String hash) {
        return named(hash)
                .map(each -> "{\"attributes\":{\"" + each.attribute + "\":\"" + each.plain + "\"},\"hidden\":[]}");
    }

    /** Returns the hash of the caller that the stage's override is for. */
    static String overridden() {
        return Refusals.hash("user=u-100086");
    }
}
