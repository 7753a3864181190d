package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.node.api.MemoryBudget;
import io.sluice.node.api.ReplySender;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(300)
class FailedBatchTest {

    @Test
    void aFailedCheckOfABatchIs500AndIsLogged() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ReplySender.class);
        logger.addAppender(log);
        logger.setAdditive(false);
        try (BareServer server = new BareServer(new MemoryBudget(1_000_000), (ruling, nanos) -> {
            // Failures of a listener are caught, unless the JVM itself is broken.
            throw new InternalError("on purpose");
        })) {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/check/batch"))
                                    .POST(HttpRequest.BodyPublishers.ofString("{\"checks\": [{\"attributes\": {}}]}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).contains("\"status\":500", "see its log");
        } finally {
            logger.setAdditive(true);
            logger.detachAppender(log);
        }
        assertThat(log.list).singleElement().satisfies(line -> {
            assertThat(line.getFormattedMessage())
                    .isEqualTo("could not answer a check of a batch; its result has status 500");
            assertThat(line.getThrowableProxy().getMessage()).contains("on purpose");
        });
    }
}
