package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.api.MemoryBudget;
import io.sluice.node.gateway.RawClient;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The decision API and many requests that arrive in one piece. */
@Timeout(300)
class PipeliningTest {

    private static final int MANY = 1_000;
    private static final String CHECK =
            "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 18\r\n\r\n{\"attributes\": {}}";
    private static final String UNKNOWN = "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n";

    @Test
    void allAreAnsweredInOrderAndEachIsDecidedOnce() throws Exception {
        AtomicInteger decided = new AtomicInteger();
        MemoryBudget memory = new MemoryBudget(100_000_000);
        try (BareServer server = new BareServer(memory, (ruling, nanos) -> decided.incrementAndGet());
                RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), server.port()))) {
            client.send((CHECK + UNKNOWN + CHECK).repeat(MANY));
            for (int i = 0; i < MANY; i++) {
                assertThat(client.message()).startsWith("HTTP/1.1 200 ");
                assertThat(client.message()).startsWith("HTTP/1.1 404 ");
                assertThat(client.message()).startsWith("HTTP/1.1 200 ");
            }
            assertThat(decided).hasValue(2 * MANY);
        }
    }
}
