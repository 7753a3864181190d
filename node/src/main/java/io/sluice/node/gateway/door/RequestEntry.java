package io.sluice.node.gateway.door;

import io.sluice.node.gateway.proxy.Forwarder;
import io.vertx.core.http.HttpServerRequest;

/** Where requests go once their heads are read. Called on the request's event loop, of which there are several. */
@FunctionalInterface
public interface RequestEntry {

    /** Answers, by itself or through the forwarder of this event loop. */
    void handle(HttpServerRequest request, Forwarder forwarder);
}
