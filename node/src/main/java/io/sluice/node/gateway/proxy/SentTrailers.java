package io.sluice.node.gateway.proxy;

import io.sluice.http.request.ForwardingHeader;
import io.sluice.node.gateway.connection.CallerTrailers;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The trailers of a request that are sent on. Some servers read trailers as if they were headers, so whatever could not be sent on as a
 * header is not sent on here, nor what a header of the request or a rule speaks of: limits go by the head.
 */
final class SentTrailers {

    private static final int MOST = 64;

    private final GatewayExchange exchange;
    private final Set<String> named;

    SentTrailers(GatewayExchange exchange) {
        this.exchange = exchange;
        this.named = HopByHop.named(exchange.request().headers());
    }

    /** Of a request that has been read to its end; names in small letters. */
    MultiMap sentOn() {
        MultiMap passed = MultiMap.caseInsensitiveMultiMap();
        int count = 0;
        for (Map.Entry<CharSequence, CharSequence> each : CallerTrailers.of(exchange.request())) {
            String name = each.getKey().toString().toLowerCase(Locale.ROOT);
            if (passes(name) && count++ < MOST) {
                passed.add(name, each.getValue().toString());
            }
        }
        return passed;
    }

    /** Of the names that {@code Trailer} announces, those that would pass. */
    List<String> announced() {
        List<String> names = new ArrayList<>(1);
        for (String line : exchange.request().headers().getAll("trailer")) {
            for (String each : line.split(",", -1)) {
                String name = each.strip().toLowerCase(Locale.ROOT);
                if (passes(name) && names.size() < MOST) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    /** Whether a request of this length can have them, and a place for them when it is sent on with this version. */
    static boolean fit(HttpServerRequest from, long length, HttpVersion to) {
        return length == Framing.CHUNKED
                || (from.version() == HttpVersion.HTTP_2 && (length == Framing.SILENT || to == HttpVersion.HTTP_2));
    }

    private boolean passes(String name) {
        return !HopByHop.inRequest(name, named)
                && !HopByHop.inTrailers(name, named)
                && !ForwardedHeaders.isOne(name, List.<ForwardingHeader>of())
                && !name.equals(RequestHead.REQUEST_ID)
                && !exchange.withheld().contains(name)
                && !exchange.forwardHeaders().contains(name)
                && !exchange.request().headers().contains(name)
                && !exchange.isCounted(name);
    }
}
