package io.sluice.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

final class RedisPairTest {

    @Test
    void losesWhatWasNotReplicatedTimeAndAgain() {
        try (RedisPair pair = RedisPair.start()) {
            for (int i = 1; i <= 3; i++) {
                assertThat(command(pair, "SET", "kept", "" + i).text()).isEqualTo("OK");
                assertThat(command(pair, "DEL", "lost").number()).isNotNegative();
                pair.awaitReplication();
                pair.stopReplication();
                assertThat(command(pair, "SET", "lost", "" + i).text()).isEqualTo("OK");
                RedisServer old = pair.primary();

                pair.killPrimary();
                pair.takeOver();

                assertThat(pair.primary()).isNotSameAs(old);
                assertThat(command(pair, "GET", "kept").text()).isEqualTo("" + i);
                assertThat(command(pair, "EXISTS", "lost").number()).isZero();
                pair.mend();
                assertThat(old.command("GET", "kept").text()).isEqualTo("" + i);
                assertThat(old.command("SET", "k", "x").error()).startsWith("READONLY");
            }
        }
    }

    private static RedisReply command(RedisPair pair, String... command) {
        try (RedisConnection connection =
                RedisConnection.to(URI.create(pair.uri()).getPort())) {
            return connection.command(command);
        }
    }
}
