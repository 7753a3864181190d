package io.sluice.benchmarks;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A document like that of a large company. Most rules are for a resource of one of 200 services; others are for tenants, users,
 * networks of callers, or applications. A request matches four or five rules, however many rules there are.
 */
final class MixedRules {

    private static final int SERVICES = 200;

    private MixedRules() {}

    static String document(int rules) {
        StringBuilder document = new StringBuilder("rules:\n");
        for (int i = 0; i < rules; i++) {
            document.append("  - { id: r")
                    .append(i)
                    .append(", ")
                    .append(scope(i))
                    .append(", limits: [{ by: user, rate: 100/s, burst: 200 }] }\n");
        }
        return document.toString();
    }

    static List<Rule> parsed(String document) {
        if (RuleDocument.parse("mixed.yaml", document) instanceof RuleDocument.Accepted accepted) {
            return accepted.rules();
        }
        throw new IllegalStateException("the generated rule document was refused");
    }

    /** Returns a request of a random caller. Callers differ as far as there are rules for them. */
    static Attributes request(Random random, int rules) {
        int i = random.nextInt(rules) / 10 * 10;
        Map<String, String> request = new HashMap<>();
        request.put("service", service(i));
        request.put("path", path(i, random.nextInt(4)));
        request.put("method", "GET");
        request.put("ip", network(i + 6) + ".7");
        request.put("user", "u-" + (i + 9));
        request.put("tenant", random.nextBoolean() ? "t-" + (i + 4) : "corp-" + (i + 7) + "-eu");
        request.put("header.x-app", "app-" + (i + 8));
        return Attributes.of(request);
    }

    private static String path(int i, int kind) {
        return switch (kind) {
            case 0 -> "/api/v1/r" + i;
            case 1 -> "/api/v1/r" + (i + 1) + "/4711";
            case 2 -> "/api/v2/r" + (i + 2) + "/4711/lines/8";
            default -> "/api/v1/orders/4711";
        };
    }

    private static String scope(int i) {
        String service = "service: " + service(i);
        return switch (i % 10) {
            case 0 -> service + ", resource: /api/v1/r" + i + ", methods: [GET, POST]";
            case 1 -> service + ", resource: \"/api/v1/r" + i + "/{id}\"";
            case 2 -> service + ", resource: /api/v2/r" + i + "/**";
            case 3 -> "resource: \"/api/v1/r" + i / 100 + "/{id}/x" + i + "\"";
            case 4 -> service + ", match: { tenant: t-" + i + " }";
            case 5 -> service + ", resource: /api/v1/orders/**, match: { tenant: [t-" + i + ", t-" + (i - 1) + "] }";
            case 6 -> "match: { ip: " + network(i) + ".0/24 }";
            case 7 -> "match: { tenant: \"corp-" + i + "-*\" }";
            case 8 -> service + ", resource: /api/**, match: { header.x-app: app-" + i + " }";
            default -> "match: { user: u-" + i + " }";
        };
    }

    private static String service(int i) {
        return "service-" + i / 10 % SERVICES;
    }

    private static String network(int i) {
        return 10 + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255);
    }
}
