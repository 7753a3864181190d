package io.sluice.node;

import io.sluice.envoy.EnvoyJson;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Envoy's rate limit protocol as JSON. Answers on the event loop that the request came in on. */
final class EnvoyRoute {

    private final Vertx vertx;
    private final EnvoyJson envoy;

    EnvoyRoute(Vertx vertx, EnvoyJson envoy) {
        this.vertx = vertx;
        this.envoy = envoy;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the answer is sent
    void decide(Exchange exchange, byte[] body) {
        try {
            StrictJson.check(body);
        } catch (IllegalArgumentException e) {
            Replies.badRequest(exchange, e);
            return;
        }
        Context context = vertx.getOrCreateContext();
        envoy.answer(body)
                .whenComplete((answer, failure) -> context.runOnContext(back -> {
                    if (answer == null) {
                        Replies.failed(exchange, failure);
                    } else if (answer.status() == 400) {
                        Replies.problem(exchange, 400, answer.body());
                    } else {
                        Replies.json(exchange, answer.status(), answer.body());
                    }
                }));
    }
}
