package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.gateway.RawClient;
import io.sluice.node.gateway.RawUpstream;
import io.sluice.redis.store.StoreState;
import io.sluice.runtime.Store;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that stops while the answers of requests that have reserved permits are still being sent. */
@Timeout(300)
class StoppingSettlementsTest {

    private static final String RULES = """
            rules:
              - id: llm
                limits:
                  - id: tokens
                    algorithm: fixed_window
                    limit: 100000
                    window: 1d
                    cost: { reserve: 500, settle: answer.json.usage.total_tokens }
            """;

    private static final String EVENT = "data: {\"usage\":{\"total_tokens\":120}}\n\n";
    private static final String CHUNK = Integer.toHexString(EVENT.length()) + "\r\n" + EVENT + "\r\n";
    private static final String ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNK;

    private final List<String> events = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    @Test
    void aStreamThatTheNodeCutsIsSettledBeforeTheStoreIsClosed() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.message();
                    caller.send(ANSWER);
                    caller.isClosed();
                });
                Node node = start(upstream);
                RawClient client = new RawClient(new Socket(
                        InetAddress.getLoopbackAddress(),
                        node.gateway().orElseThrow().getPort()))) {
            client.send("GET /chat HTTP/1.1\r\nHost: a\r\n\r\n").head();
            assertThat(client.read(CHUNK.length())).isEqualToIgnoringCase(CHUNK);

            node.settlementsMayTake(Duration.ofMinutes(1));
            node.close();

            assertThat(events).containsExactly("settled 500 by 120", "closed");
        }
    }

    private Node start(RawUpstream upstream) throws Exception {
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"),
                "gateway: { drain: 1s }\nroutes:\n  - { path: /**, service: llm, upstreams: [\"" + upstream.origin()
                        + "\"], auth: open }\n");
        return Node.start(
                NodeConfig.inProcess(new RulesFrom.Text("rules", RULES), 0)
                        .withGateway(0, new RoutesFrom.File(config))
                        .withRedis("redis://nowhere"),
                (uri, prefix, clock, listener) -> new BusyStore(clock),
                () -> {},
                () -> 0);
    }

    /** A store that settles only when it is asked for the seventh time, after a second and a half. */
    private final class BusyStore extends ForwardingEngine implements Store {

        private static final int FAILURES = 6;

        private int asked;

        BusyStore(Clock clock) {
            super(new LocalEngine(clock));
        }

        @Override
        public synchronized CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
            if (asked++ < FAILURES) {
                return CompletableFuture.failedFuture(new IllegalStateException("busy"));
            }
            settlements.forEach(each -> events.add("settled " + each.reserved() + " by " + each.actual()));
            return super.settle(settlements);
        }

        @Override
        public void close() {
            events.add("closed");
            super.close();
        }

        @Override
        public Engine engine() {
            return this;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public CompletionStage<Void> ready() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public StoreState state() {
            return new StoreState(true, "", "", 0);
        }

        @Override
        public List<String> findings() {
            return List.of();
        }
    }
}
