package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.sluice.redis.internal.link.RedisAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisUriTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            value = {
                "redis://h:6379/2 > redis://h:6379/2",
                "redis://user:pw@h > redis://***@h",
                "redis://user:p@w@h:1 > redis://***@h:1",
                "redis://h?password=pw > redis://h?***",
                "redis://h/0?x=pw#pw > redis://h/0?***#***",
                "redis://u:pw@h/0#pw > redis://***@h/0#***",
                "rediss-cluster://:pw@h:1,[::1]:2?x=pw > rediss-cluster://***@h:1,[::1]:2?***",
                "redis-sentinel://pw@h:1/0#main > redis-sentinel://***@h:1/0#***",
                "redis://:p/w@h > redis://***",
                "redis://:p?w@h > redis://***",
                "redis://:p#w@h > redis://***",
                "redis://h?x=p@w > redis://***",
                "pw > ***",
                "user:pw@h > ***"
            })
    void secretsAreNotShown(String uri, String shown) {
        assertThat(RedisUri.shown(uri)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://h",
                "redis://my-redis:6379",
                "redis://[::1]:6379",
                "rediss://u:pw@127.0.0.1:1/3",
                "redis-sentinel://h:1,g:2/0#main",
                "redis-cluster://h:1,g:2",
                "redis://h:1/2?timeout=200ms",
                "redis-sentinel://h:1,g:2/0?timeout=5s#main",
                "redis-cluster://h:1,g:2?timeout=1m",
                "redis-socket:///run/redis.sock"
            })
    void aUriOfAStoreIsAccepted(String uri) {
        assertThat(RedisUri.checked(uri)).isEqualTo(uri);
    }

    @Test
    void everyDocumentedAddressIsAcceptedAndMeansWhatItSays() throws IOException {
        String page = Files.readString(Path.of("../docs/how-to/redis.md"));
        String block = page.substring(page.indexOf("## Addresses"));
        block = block.substring(block.indexOf("```text\n") + 8);
        List<String> addresses =
                block.substring(0, block.indexOf("```")).lines().toList();
        assertThat(addresses).hasSize(10).allSatisfy(address -> assertThat(RedisUri.checked(address))
                .isEqualTo(address));
        for (String address : addresses) {
            if (!address.contains("-cluster")) {
                RedisURI read = RedisAddress.of(address);
                assertThat(read.isSsl()).as(address).isEqualTo(address.startsWith("rediss"));
                assertThat(read.getDatabase()).as(address).isEqualTo(address.endsWith("/2") ? 2 : 0);
                assertThat(read.getSentinelMasterId())
                        .as(address)
                        .isEqualTo(address.contains("-sentinel") ? "mymaster" : null);
                assertThat(read.getSentinels())
                        .as(address)
                        .hasSize(address.contains("-sentinel") ? address.split(",", -1).length : 0)
                        .allMatch(sentinel -> sentinel.getPort() == 26379);
                RedisCredentials credentials = Objects.requireNonNull(
                        read.getCredentialsProvider().resolveCredentials().block());
                assertThat(credentials.getUsername())
                        .as(address)
                        .isEqualTo(address.contains("sluice:") ? "sluice" : null);
                assertThat(credentials.hasPassword() ? new String(credentials.getPassword()) : "")
                        .as(address)
                        .isEqualTo(address.contains("@") ? "p@ss" : "");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "redis://h:1, 500",
        "redis://h:1?timeout=200ms, 500",
        "redis://h:1/2?a=b&timeout=3s, 3000",
        "redis-sentinel://h:1/0?timeout=5s#main, 5000",
        "redis://u:timeout@h?timeout=1m, 60000"
    })
    void theAddressStatesTheTimeout(String uri, long millis) {
        RedisURI read = RedisAddress.of(uri);
        assertThat(read.getTimeout()).hasMillis(millis);
        assertThat(RedisAddress.atLeast(Duration.ofMillis(50), uri))
                .hasMillis(uri.contains("200ms") ? 200 : uri.contains("?") ? millis : 50);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://h?timeout=",
                "redis://h?timeout=0s",
                "redis://h?a=b&timeout=200",
                "redis-cluster://h?timeout=5 s"
            })
    void aTimeoutThatCannotBeReadIsRefused(String uri) {
        assertThatThrownBy(() -> RedisUri.checked(uri)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "junk", "http://h", "redis://h:port", "redis://,", "redis://h/x", "redis-cluster://h:1/2"})
    void anyOtherIsRefused(String uri) {
        assertThatThrownBy(() -> RedisUri.checked(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("redis: \"");
    }
}
