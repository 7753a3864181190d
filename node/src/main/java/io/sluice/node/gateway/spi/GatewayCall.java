package io.sluice.node.gateway.spi;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A handler's view of one request through the gateway. Used only by the thread that calls the handler. */
public interface GatewayCall {

    /** Returns the request's id: the caller's if it is safe to log, otherwise a new one. */
    String id();

    String method();

    /** Returns the host in lower case, without a port. */
    String host();

    /** Returns the normalized path, as limits see it. */
    String path();

    /** Returns the path and query as received. */
    String target();

    /** Returns the service of the route. */
    Optional<String> service();

    /** Returns the caller's address; empty if there is none. */
    Optional<String> ip();

    /** Returns all lines of a request header as received, ignoring the case of the name. */
    List<String> headers(String name);

    /** Returns the verified attributes of the caller: {@code user}, {@code tenant}, {@code app}, {@code plan}, {@code claim.<name>}. */
    Map<String, String> identity();

    /** Adds an attribute for rules, before limits are checked. Replaces an earlier value, but never a verified one. */
    void attribute(String name, String value);

    /** Sets a header of the forwarded request. */
    void forwardHeader(String name, String value);

    /** Sets a header of the answer, from the upstream or from the gateway itself. */
    void answerHeader(String name, String value);

    /** Returns the status of the upstream's answer; empty before {@link Phase#AFTER}. */
    OptionalInt status();
}
