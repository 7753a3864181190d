package io.sluice.node.gateway.door;

import io.sluice.node.gateway.proxy.Forwarder;
import io.vertx.core.http.HttpServerRequest;

/** Receives requests whose heads have been read. Called on the request's event loop, one of several. */
@FunctionalInterface
public interface RequestEntry {

    /** Answers the request, directly or through the forwarder of this event loop. */
    void handle(HttpServerRequest request, Forwarder forwarder);
}
