package io.sluice.node.gateway.exchange;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.request.RequestTarget;
import io.sluice.node.gateway.auth.Identity;
import io.sluice.node.gateway.route.Route;
import io.sluice.node.trace.RequestTrace;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.lang.System.Logger.Level;
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
 * One request through the gateway, from its head to the end of its answer. Used only by its event loop.
 *
 * <p>There is one view of host, path and method, created when the request was parsed. Routing, limits and forwarding all use this
 * view and never parse again.
 */
public final class GatewayExchange {

    private static final System.Logger LOG = System.getLogger(GatewayExchange.class.getName());

    private final IncomingBody incoming;
    private final Parsed parsed;
    private final @Nullable Route route;
    private final RequestTrace trace;
    private final Origin origin;
    private final MultiMap forwardHeaders = MultiMap.caseInsensitiveMultiMap();
    private final MultiMap answerHeaders = MultiMap.caseInsensitiveMultiMap();
    private final List<Runnable> whenOver = new ArrayList<>(2);
    private Set<String> withheld = Set.of();
    private Map<String, String> attributes = Map.of();
    private Identity identity = Identity.ANONYMOUS;
    private boolean over;

    /**
     * The normalized view of a request.
     *
     * @param host the host in lower case, without a port
     * @param authority the host with its port, as forwarded
     * @param path the normalized path
     * @param target the path and query as received and forwarded
     * @param caller null if there is no address, as with a Unix socket
     * @param believed the forwarding headers that are trusted because of the proxy that connected
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

    /**
     * Creates an exchange that belongs to no trace.
     *
     * @param route null if no route matches the request
     */
    public GatewayExchange(IncomingBody incoming, Parsed parsed, @Nullable Route route) {
        this(incoming, parsed, route, RequestTrace.NONE);
    }

    /**
     * Creates an exchange.
     *
     * @param route null if no route matches the request
     */
    public GatewayExchange(IncomingBody incoming, Parsed parsed, @Nullable Route route, RequestTrace trace) {
        this.incoming = incoming;
        this.parsed = parsed;
        this.route = route;
        this.trace = trace;
        this.origin = trace.origin(parsed.id());
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

    /** Returns the position of the request in a trace. */
    public RequestTrace trace() {
        return trace;
    }

    /** Returns the ids that other systems use for the request. */
    public Origin origin() {
        return origin;
    }

    /** Returns the ids of the request as a text for the log. Nothing in it needs to be escaped. */
    public String named() {
        return trace.exists() ? "request " + parsed.id() + " of trace " + trace.traceId() : "request " + parsed.id();
    }

    /** Returns whether a route matches the request. Without one, it is neither authenticated nor forwarded. */
    public boolean hasRoute() {
        return route != null;
    }

    public Route route() {
        if (route == null) {
            throw new IllegalStateException("route: none (expected: only requests with a route get here)");
        }
        return route;
    }

    public Identity identity() {
        return identity;
    }

    public void identified(Identity who) {
        identity = who;
    }

    /** Returns the headers that replace headers of the request when it is forwarded. */
    public MultiMap forwardHeaders() {
        return forwardHeaders;
    }

    /** Excludes a header of the request from forwarding. */
    public void withhold(String header) {
        if (withheld.isEmpty()) {
            withheld = new HashSet<>();
        }
        withheld.add(header.toLowerCase(Locale.ROOT));
    }

    /** Returns the request headers that are not forwarded, in lower case. */
    public Set<String> withheld() {
        return Collections.unmodifiableSet(withheld);
    }

    /** Adds an attribute for rules, under its normalized name. */
    public void attribute(String name, String value) {
        if (attributes.isEmpty()) {
            attributes = new HashMap<>();
        }
        attributes.put(Attributes.normalisedName(name), value);
    }

    /** Returns the attributes that handlers added for rules. */
    Map<String, String> attributes() {
        return Collections.unmodifiableMap(attributes);
    }

    /** Returns the headers to send with any answer, in place of the upstream's headers. */
    public MultiMap answerHeaders() {
        return answerHeaders;
    }

    /** Returns whether the request can still be answered. */
    public boolean isOpen() {
        return !over && !response().ended() && !response().closed();
    }

    /** Runs an action once, when the answer has ended or the caller has disconnected; immediately if that has already happened. */
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

    /**
     * Ends the exchange: the answer has ended, or the caller has disconnected. The server calls this by itself, except for
     * connections that became tunnels.
     */
    public void end() {
        if (!over) {
            over = true;
            whenOver.forEach(this::runLast);
        }
    }

    /** Runs an action and catches its failure, so that the other actions run: one of them may give permits back. */
    private void runLast(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            CallbackFailures.rethrowIfBroken(e);
            LOG.log(Level.ERROR, "an action at the end of " + named() + " failed", e);
        }
    }
}
