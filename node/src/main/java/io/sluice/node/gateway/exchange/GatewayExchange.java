package io.sluice.node.gateway.exchange;

import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.request.RequestTarget;
import io.sluice.node.gateway.auth.Identity;
import io.sluice.node.gateway.route.Route;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request through the gateway, from its head to the end of its answer. For its event loop alone.
 *
 * <p>There is one view of host, path and method, taken when the request was parsed; whoever routes, limits or forwards uses it and
 * does not look again.
 */
public final class GatewayExchange {

    private final IncomingBody incoming;
    private final Parsed parsed;
    private final Route route;
    private final MultiMap forwardHeaders = MultiMap.caseInsensitiveMultiMap();
    private final MultiMap answerHeaders = MultiMap.caseInsensitiveMultiMap();
    private final List<Runnable> whenOver = new ArrayList<>(2);
    private Set<String> withheld = Set.of();
    private Map<String, String> attributes = Map.of();
    private Identity identity = Identity.ANONYMOUS;
    private boolean over;

    /**
     * What a request says of itself, in its one form.
     *
     * @param host without a port, in small letters
     * @param authority the same with the port, as it is sent on
     * @param path in its one form
     * @param target path and query as they were sent, and are sent on
     * @param caller null where there is no address, as with a Unix socket
     * @param believed the headers in which the word of the proxy that connected is taken
     */
    public record Parsed(
            String id,
            String method,
            String host,
            String authority,
            String path,
            RequestTarget target,
            @Nullable Address caller,
            List<ForwardingHeader> believed) {}

    public GatewayExchange(IncomingBody incoming, Parsed parsed, Route route) {
        this.incoming = incoming;
        this.parsed = parsed;
        this.route = route;
        HttpServerResponse response = incoming.request().response();
        response.endHandler(done -> end());
        response.closeHandler(closed -> end());
        response.exceptionHandler(failure -> end());
    }

    public IncomingBody incoming() {
        return incoming;
    }

    public HttpServerRequest request() {
        return incoming.request();
    }

    public HttpServerResponse response() {
        return incoming.request().response();
    }

    public Parsed parsed() {
        return parsed;
    }

    public Route route() {
        return route;
    }

    public Identity identity() {
        return identity;
    }

    public void identified(Identity who) {
        identity = who;
    }

    /** Headers that the request is sent on with, in the place of those it came with. */
    public MultiMap forwardHeaders() {
        return forwardHeaders;
    }

    /** Does not send a header of the request on. */
    public void withhold(String header) {
        if (withheld.isEmpty()) {
            withheld = new HashSet<>();
        }
        withheld.add(header.toLowerCase(Locale.ROOT));
    }

    /** The headers of the request, in small letters, that are not sent on. */
    public Set<String> withheld() {
        return Collections.unmodifiableSet(withheld);
    }

    /** Adds an attribute for rules, in its one spelling. */
    public void attribute(String name, String value) {
        if (attributes.isEmpty()) {
            attributes = new HashMap<>();
        }
        attributes.put(Attributes.normalisedName(name), value);
    }

    /** What handlers added for rules. */
    Map<String, String> attributes() {
        return Collections.unmodifiableMap(attributes);
    }

    /** Headers of whatever is answered, in the place of those of the upstream. */
    public MultiMap answerHeaders() {
        return answerHeaders;
    }

    /** Whether it can still be answered. */
    public boolean isOpen() {
        return !over && !response().ended() && !response().closed();
    }

    /** Runs it when the answer has ended or the caller has left; at once if that has happened. Exactly once. */
    public void whenOver(Runnable action) {
        if (over) {
            action.run();
        } else {
            whenOver.add(action);
        }
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(request().getHeader(name));
    }

    /** The answer has ended, or the caller has left. The server tells of both by itself, but not of connections that became tunnels. */
    public void end() {
        if (!over) {
            over = true;
            whenOver.forEach(Runnable::run);
        }
    }
}
