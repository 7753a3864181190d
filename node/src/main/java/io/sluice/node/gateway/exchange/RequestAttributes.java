package io.sluice.node.gateway.exchange;

import io.sluice.http.request.RefusedRequestException;
import io.sluice.http.request.RequestFields;
import io.sluice.node.gateway.exchange.GatewayExchange.Parsed;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.snapshot.RuleSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The attributes of a request by which rules decide, except those of its body. */
public final class RequestAttributes {

    private RequestAttributes() {}

    /**
     * Returns the attributes, with only those headers and query fields that rules in force name. Attributes that handlers added replace
     * them, and verified attributes of the caller replace all others. So a caller cannot choose its {@code user} or {@code tenant}.
     */
    public static Map<String, String> of(GatewayExchange exchange, RuleSet rules) throws RefusedRequestException {
        Parsed parsed = exchange.parsed();
        Map<String, String> values = new HashMap<>(16);
        exchange.route().service().ifPresent(service -> values.put("service", service));
        addParsed(values, parsed);
        RequestFields.addTo(
                values,
                rules,
                name -> name.equals("host")
                        ? List.of(parsed.host())
                        : exchange.request().headers().getAll(name),
                parsed.target().query());
        values.putAll(exchange.attributes());
        values.putAll(exchange.identity().attributes());
        return values;
    }

    /** Returns the attributes that are known before the caller is authenticated. */
    public static Map<String, String> early(GatewayExchange exchange) {
        Map<String, String> values = new HashMap<>(8);
        addParsed(values, exchange.parsed());
        values.put("header.host", exchange.parsed().host());
        return values;
    }

    private static void addParsed(Map<String, String> values, Parsed parsed) {
        values.put("path", parsed.target().sentPath());
        values.put("method", parsed.method());
        Address caller = parsed.caller();
        if (caller != null) {
            values.put("ip", caller.toString());
        }
    }
}
