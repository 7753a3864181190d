package io.sluice.node.gateway;

import io.vertx.core.http.HttpServerRequest;

/** Where requests go once their heads are read. Called on the request's event loop, of which there are several. */
@FunctionalInterface
interface RequestEntry {

    /** Answers, by itself or through the forwarder of this event loop. */
    void handle(HttpServerRequest request, Forwarder forwarder);
}
