package io.sluice.node.gateway.chain;

import io.sluice.http.answer.RefusalBody;
import io.sluice.node.gateway.spi.GatewayHandler;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The users' extensions of the gateway. Immutable.
 *
 * @param handlers additional steps for every request
 * @param refusals creates the bodies of refusals
 */
public record Extensions(List<GatewayHandler> handlers, RefusalBody refusals) {

    public Extensions {
        handlers = List.copyOf(handlers);
    }

    /** No extensions. */
    public static final Extensions NONE = new Extensions(List.of(), RefusalBody.PROBLEM);

    /** Loads the extensions with {@link ServiceLoader}. More than one {@link RefusalBody} is an error: the choice is unclear. */
    public static Extensions load() {
        List<GatewayHandler> handlers = ServiceLoader.load(GatewayHandler.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        List<RefusalBody> bodies = ServiceLoader.load(RefusalBody.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        if (bodies.size() > 1) {
            throw new IllegalArgumentException("refusal bodies: "
                    + bodies.stream().map(body -> body.getClass().getName()).toList() + " (expected: at most one)");
        }
        return new Extensions(handlers, bodies.isEmpty() ? RefusalBody.PROBLEM : bodies.get(0));
    }
}
