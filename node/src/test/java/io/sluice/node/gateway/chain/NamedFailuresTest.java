package io.sluice.node.gateway.chain;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.node.gateway.RawClient;
import io.sluice.testkit.Await;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** A log line about one request names the request and its trace, and nothing else that a caller sent. */
@Timeout(600)
class NamedFailuresTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    @Test
    void aFailureNamesItsRequestAndTrace() throws Exception {
        String line = failure("X-Request-Id: r-17\r\ntraceparent: 00-" + TRACE + "-00f067aa0ba902b7-01\r\n");
        assertThat(line).contains("failed, request r-17 of trace " + TRACE);
    }

    @Test
    void a31AnIdThatIsNotSafeIsReplaced() throws Exception {
        String line = failure("X-Request-Id: =cmd()<script>\r\ntraceparent: 00-" + "<".repeat(32)
                + "-00f067aa0ba902b7-01\r\ntracestate: ${jndi:ldap://x}\r\n");
        assertThat(line).matches(".* failed, request [0-9a-f]{24} of trace [0-9a-f]{32} .*");
        assertThat(line).doesNotContain("<").doesNotContain("jndi").doesNotContain("cmd");
    }

    private static String failure(String headers) throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(FailureLog.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        logger.addAppender(log);
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                        .forwarding(exchange -> {
                            throw new IllegalStateException("broken");
                        })
                        .start();
                RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), gateway.port()))) {
            assertThat(client.send("GET /a HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n")
                            .message())
                    .startsWith("HTTP/1.1 500 ");
            Await.until("a log line", Duration.ofMinutes(5), () -> !log.list.isEmpty());
            List<ILoggingEvent> lines = log.list;
            return lines.get(0).getFormattedMessage();
        } finally {
            logger.detachAppender(log);
        }
    }
}
