package io.sluice.node.gateway.spi;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** One request on its way through the gateway, as handlers see it. For the thread that a handler is called on, alone. */
public interface GatewayCall {

    /** The request's id: that of the caller where it is a sane one, else a new one. */
    String id();

    String method();

    /** Without a port, in small letters. */
    String host();

    /** In its one form, as it is limited. */
    String path();

    /** As it was sent, with the query. */
    String target();

    /** The service of the route. */
    Optional<String> service();

    /** The caller's address; empty where there is none. */
    Optional<String> ip();

    /** All lines of a header of the request, as they came; the name in any case. */
    List<String> headers(String name);

    /** What is verified of the caller: {@code user}, {@code tenant}, {@code app}, {@code plan}, {@code claim.<name>}. */
    Map<String, String> identity();

    /** Adds an attribute for rules, before limits are asked. Replaces what it was, but never what was verified. */
    void attribute(String name, String value);

    /** Sets a header of the request as it is sent on. */
    void forwardHeader(String name, String value);

    /** Sets a header of whatever is answered. */
    void answerHeader(String name, String value);

    /** The status of the upstream's answer; empty before {@link Phase#AFTER}. */
    OptionalInt status();
}
