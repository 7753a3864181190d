package io.sluice.node.api;

import io.sluice.envoy.server.EnvoyJson;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Envoy's rate limit protocol as JSON. Answers on the event loop that received the request. */
public final class EnvoyRoute {

    private final Vertx vertx;
    private final EnvoyJson envoy;

    public EnvoyRoute(Vertx vertx, EnvoyJson envoy) {
        this.vertx = vertx;
        this.envoy = envoy;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the answer is sent
    void decide(ApiExchange exchange, byte[] body) {
        try {
            StrictJson.check(body);
        } catch (IllegalArgumentException e) {
            ReplySender.badRequest(exchange, e);
            return;
        }
        Context context = vertx.getOrCreateContext();
        envoy.answer(body, exchange.origin())
                .whenComplete((answer, failure) -> context.runOnContext(back -> {
                    if (answer == null) {
                        ReplySender.failed(exchange, failure);
                    } else if (answer.status() == 400) {
                        ReplySender.problem(exchange, 400, answer.body());
                    } else {
                        ReplySender.json(exchange, answer.status(), answer.body());
                    }
                }));
    }
}
