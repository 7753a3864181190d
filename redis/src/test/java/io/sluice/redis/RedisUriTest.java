package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
                "redis-socket:///run/redis.sock"
            })
    void aUriOfAStoreIsAccepted(String uri) {
        assertThat(RedisUri.checked(uri)).isEqualTo(uri);
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
