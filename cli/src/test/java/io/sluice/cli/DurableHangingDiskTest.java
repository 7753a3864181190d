package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.Node;
import io.sluice.testkit.redis.RedisServer;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose disk does not answer when it starts. */
@Timeout(600)
class DurableHangingDiskTest {

    private static final String UNREAD = "the journal in the directory of --data has not been read yet";

    @TempDir
    Path folder;

    @Test
    void aNodeStartsWithoutItsJournalAndDecidesDurableLimitsWhenItIsRead() throws Exception {
        Path data = folder.resolve("data");
        try (RedisServer redis = RedisServer.start()) {
            try (Node node = Node.start(QuotaNodes.config(redis, data))) {
                QuotaNodes.awaitRestored(QuotaNodes.address(node));
                QuotaNodes.charge(QuotaNodes.address(node), "acme");
            }
            redis.restart();
            // Nobody reads from this pipe, so whoever opens it to write waits.
            Path lock = data.resolve("durable/lock");
            Files.delete(lock);
            assertThat(new ProcessBuilder("mkfifo", lock.toString()).start().waitFor())
                    .isZero();

            // If the start waited for the disk, the test would not end.
            try (Node node = Node.start(QuotaNodes.config(redis, data))) {
                String address = QuotaNodes.address(node);
                assertThat(QuotaNodes.health(address)).contains(UNREAD);
                QuotaNodes.await("on_failure decides", () -> QuotaNodes.check(address, "acme", 1)
                        .contains("\"degraded\":\"not-restored\""));
                assertThat(QuotaNodes.metric(address, "rate_limit_durable_restored"))
                        .isZero();

                try (InputStream unused = Files.newInputStream(lock)) {
                    QuotaNodes.awaitRestored(address);
                }
                assertThat(QuotaNodes.used(address, "acme")).isEqualTo(1);
                assertThat(QuotaNodes.health(address)).doesNotContain(UNREAD);
            }
        }
    }
}
