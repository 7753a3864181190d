package io.sluice.node.gateway;

import io.sluice.node.gateway.GatewayExchange.Parsed;
import io.sluice.rules.Address;
import io.sluice.rules.RuleSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What rules are told of a request, but for its body. */
final class RequestAttributes {

    static final String HEADER = "header.";

    private RequestAttributes() {}

    /**
     * Of headers and the query only what rules in force name. What handlers added replaces what was there, and what is verified of the
     * caller replaces everything: nothing that a caller writes becomes {@code user} or {@code tenant}.
     */
    static Map<String, String> of(GatewayExchange exchange, RuleSet rules) throws RefusedRequestException {
        Parsed parsed = exchange.parsed();
        Map<String, String> values = new HashMap<>(16);
        exchange.route().service().ifPresent(service -> values.put("service", service));
        values.put("path", parsed.path());
        values.put("method", parsed.method());
        Address caller = parsed.caller();
        if (caller != null) {
            values.put("ip", caller.toString());
        }
        exchange.counted(rules.headerFields());
        for (String attribute : rules.headerFields()) {
            addHeader(exchange, attribute, values);
        }
        if (!rules.queryFields().isEmpty()) {
            try {
                rules.queryFields().addTo(values, query(parsed.target()));
            } catch (IllegalArgumentException e) {
                throw RefusedRequestException.bad(String.valueOf(e.getMessage()));
            }
        }
        values.putAll(exchange.attributes());
        values.putAll(exchange.identity().attributes());
        return values;
    }

    /** What follows the question mark. */
    static String query(String target) {
        int mark = target.indexOf('?');
        return mark < 0 ? "" : target.substring(mark + 1);
    }

    private static void addHeader(GatewayExchange exchange, String attribute, Map<String, String> values)
            throws RefusedRequestException {
        String name = attribute.substring(HEADER.length());
        if (name.equals("host")) {
            values.put(attribute, exchange.parsed().authority());
            return;
        }
        List<String> lines = exchange.request().headers().getAll(name);
        if (lines.isEmpty()) {
            return;
        }
        // HTTP/2 may send cookies in several lines, which are one header.
        if (lines.size() > 1 && !name.equals("cookie")) {
            throw RefusedRequestException.bad(
                    "header " + name + ": " + lines.size() + " of them (expected: one, since it counts for a limit)");
        }
        values.put(attribute, lines.size() == 1 ? lines.get(0) : String.join("; ", lines));
    }
}
