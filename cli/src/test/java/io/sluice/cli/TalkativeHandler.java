package io.sluice.cli;

import io.sluice.node.gateway.spi.GatewayCall;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.node.gateway.spi.Phase;
import io.sluice.node.gateway.spi.Verdict;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a long line for every request. */
public final class TalkativeHandler implements GatewayHandler {

    private static final Logger LOG = LoggerFactory.getLogger(TalkativeHandler.class);
    private static final String LINE = "x".repeat(1_000);

    @Override
    public Phase phase() {
        return Phase.PARSED;
    }

    @Override
    public CompletionStage<Verdict> handle(GatewayCall call) {
        LOG.warn(LINE);
        return CompletableFuture.completedFuture(Verdict.GO_ON);
    }
}
