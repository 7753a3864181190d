package io.sluice.node.gateway.exchange;

import io.sluice.http.request.RefusedRequestException;
import io.sluice.http.request.RequestFields;
import io.sluice.node.gateway.exchange.GatewayExchange.Parsed;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.snapshot.RuleSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What rules are told of a request, but for its body. */
public final class RequestAttributes {

    private RequestAttributes() {}

    /**
     * Of headers and the query only what rules in force name. What handlers added replaces what was there, and what is verified of the
     * caller replaces everything: nothing that a caller writes becomes {@code user} or {@code tenant}.
     */
    public static Map<String, String> of(GatewayExchange exchange, RuleSet rules) throws RefusedRequestException {
        Parsed parsed = exchange.parsed();
        Map<String, String> values = new HashMap<>(16);
        exchange.route().service().ifPresent(service -> values.put("service", service));
        values.put("path", parsed.path());
        values.put("method", parsed.method());
        Address caller = parsed.caller();
        if (caller != null) {
            values.put("ip", caller.toString());
        }
        RequestFields.addTo(
                values,
                rules,
                name -> name.equals("host")
                        ? List.of(parsed.authority())
                        : exchange.request().headers().getAll(name),
                parsed.target().query());
        values.putAll(exchange.attributes());
        values.putAll(exchange.identity().attributes());
        return values;
    }
}
