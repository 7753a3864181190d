package io.sluice.center.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sluice throttles attempts to sign in, with and without Redis. */
class SignInThrottleTest {

    private static final String HOME = "192.0.2.1";
    private static final Duration SOON = Duration.ofMinutes(5);

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);

    @Test
    void anAddressNeverGuessesOnePasswordForLong() throws Exception {
        try (SignInThrottle throttle = SignInThrottle.open(Optional.empty(), clock)) {
            assertThat(admitted(throttle, HOME, "ann", 50)).isEqualTo(5);
            assertThat(refusal(throttle, HOME, "ann").retryAfterSeconds()).isBetween(1L, 60L);
            // The name is the same in all spellings, and the address is that of its network.
            assertThat(admitted(throttle, HOME, " ANN", 1)).isZero();
            assertThat(admitted(throttle, HOME, "a\u00ADnn", 1)).isZero();
            assertThat(admitted(throttle, HOME, "\u00E1nn\u00A0 ", 1)).isZero();
            assertThat(admitted(throttle, "::ffff:192.0.2.1", "ann", 1)).isZero();
            // Refused attempts do not make it longer.
            clock.advance(Duration.ofMinutes(1));
            assertThat(admitted(throttle, HOME, "ann", 50)).isEqualTo(1);
        }
    }

    @Test
    void anAddressNeverGuessesManyNamesForLong() throws Exception {
        try (SignInThrottle throttle = SignInThrottle.open(Optional.empty(), clock)) {
            int admitted = 0;
            for (int name = 0; name < 1_000; name++) {
                // Addresses of one IPv6 network are one address.
                admitted += admitted(throttle, "2001:db8::" + Integer.toHexString(name), "name" + name, 1);
            }
            assertThat(admitted).isEqualTo(60);
            assertThat(admitted(throttle, "2001:db8::1", "", 1)).isZero();
            assertThat(admitted(throttle, "2001:db8:0:1::1", "", 1)).isEqualTo(1);
        }
    }

    @Test
    void aNameIsNeverLockedForLong() throws Exception {
        try (SignInThrottle throttle = SignInThrottle.open(Optional.empty(), clock)) {
            int admitted = 0;
            for (int address = 0; address < 250; address++) {
                admitted += admitted(throttle, "198.51.100." + address, "ann", 4);
            }
            assertThat(admitted).isEqualTo(100);
            assertThat(refusal(throttle, HOME, "ann").retryAfterSeconds()).isLessThanOrEqualTo(3);
            assertThatCode(() -> throttle.admit(HOME, "bob")).doesNotThrowAnyException();
        }
    }

    @Test
    void anAttemptThatSucceedsIsNotCounted() throws Exception {
        try (SignInThrottle throttle = SignInThrottle.open(Optional.empty(), clock)) {
            for (int i = 0; i < 200; i++) {
                throttle.admit(HOME, "ann").succeeded();
            }
            assertThat(admitted(throttle, HOME, "ann", 50)).isEqualTo(5);
        }
    }

    @Test
    void guessingNeverGoesOnAtFullSpeedAlsoWithRedisDown() throws Exception {
        try (RedisServer redis = RedisServer.start();
                SignInThrottle one = SignInThrottle.open(Optional.of(redis.uri()), Clock.system());
                SignInThrottle two = SignInThrottle.open(Optional.of(redis.uri()), Clock.system())) {
            // As soon as both are connected, what one admits counts at the other.
            AtomicInteger turn = new AtomicInteger();
            Await.until("counts are shared", SOON, () -> {
                int number = turn.incrementAndGet();
                return admitted(one, "192.0.2." + number, "carl" + number, 5) == 5
                        && admitted(two, "192.0.2." + number, "carl" + number, 5) == 0;
            });
            assertThat(redis.command("KEYS", "*sluice-sign-in*").toString())
                    .contains("sluice-sign-in.both")
                    .doesNotContain("carl", "192.0.2");
            redis.kill();
            // What was used before is remembered. Others are limited as well, now by each center alone.
            assertThat(admitted(one, "192.0.2." + turn, "carl" + turn, 50)).isLessThan(5);
            assertThat(admitted(one, HOME, "dora", 50)).isBetween(1, 24);
            redis.restart();
            assertThat(admitted(one, HOME, "dora", 50)).isLessThan(25);
        }
    }

    @Test
    void aRedisThatHangsNeverStopsSigningIn() throws Exception {
        try (RedisServer redis = RedisServer.start();
                SignInThrottle throttle = SignInThrottle.open(Optional.of(redis.uri()), Clock.system())) {
            Await.until("Redis counts", SOON, () -> {
                admitted(throttle, HOME, "", 1);
                return redis.command("KEYS", "*sluice-sign-in*").toString().contains("sluice-sign-in");
            });
            redis.freeze();
            try {
                assertThat(admitted(throttle, "192.0.2.11", "emil", 50)).isBetween(1, 24);
            } finally {
                redis.thaw();
            }
        }
    }

    private static int admitted(SignInThrottle throttle, String address, String name, int attempts) {
        int admitted = 0;
        for (int i = 0; i < attempts; i++) {
            try {
                throttle.admit(address, name);
                admitted++;
            } catch (TooManyAttemptsException e) {
                // Counted by not being counted.
            }
        }
        return admitted;
    }

    private static TooManyAttemptsException refusal(SignInThrottle throttle, String address, String name) {
        return catchThrowableOfType(TooManyAttemptsException.class, () -> throttle.admit(address, name));
    }
}
