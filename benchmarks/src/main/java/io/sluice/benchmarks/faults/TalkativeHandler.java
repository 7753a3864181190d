package io.sluice.benchmarks.faults;

import io.sluice.node.gateway.spi.GatewayCall;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.node.gateway.spi.Phase;
import io.sluice.node.gateway.spi.Verdict;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Logs several long lines for every request through the gateway. */
public final class TalkativeHandler implements GatewayHandler {

    private static final System.Logger LOG = System.getLogger(TalkativeHandler.class.getName());
    private static final int LINES = 20;
    private static final String LINE = "x".repeat(1_000);

    @Override
    public Phase phase() {
        return Phase.PARSED;
    }

    @Override
    public CompletionStage<Verdict> handle(GatewayCall call) {
        for (int i = 0; i < LINES; i++) {
            LOG.log(Level.WARNING, LINE);
        }
        return CompletableFuture.completedFuture(Verdict.GO_ON);
    }
}
