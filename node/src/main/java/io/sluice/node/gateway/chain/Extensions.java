package io.sluice.node.gateway.chain;

import io.sluice.http.answer.RefusalBody;
import io.sluice.node.gateway.spi.GatewayHandler;
import java.util.List;
import java.util.ServiceLoader;

/**
 * What users add to the gateway. Immutable.
 *
 * @param handlers steps of every request
 * @param refusals what refused callers are sent
 */
public record Extensions(List<GatewayHandler> handlers, RefusalBody refusals) {

    public Extensions {
        handlers = List.copyOf(handlers);
    }

    /** Nothing. */
    public static final Extensions NONE = new Extensions(List.of(), RefusalBody.PROBLEM);

    /** Those that {@link ServiceLoader} finds. Two bodies for refusals are an error: which one was meant is not to be guessed. */
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
