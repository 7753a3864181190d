package io.sluice.center.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.refusal.RefusedException;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.security.crypto.password.PasswordEncoder;

/** Hashes of passwords. */
class PasswordsTest {

    private static final Duration SOON = Duration.ofMinutes(5);

    @Test
    void aHashIsOneOfArgon2idWithASaltOfItsOwn() {
        Passwords passwords = Passwords.argon2();
        String hash = passwords.hash("correct horse battery");
        assertThat(hash).startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
        assertThat(passwords.hash("correct horse battery")).isNotEqualTo(hash);
        assertThat(passwords.matches("correct horse battery", hash)).isTrue();
        assertThat(passwords.matches("correct horse batterx", hash)).isFalse();
        assertThat(passwords.matches("correct horse battery", "")).isFalse();
        // Composed and decomposed letters are the same letters.
        assertThat(passwords.matches(
                        "Schlu\u0308ssel fu\u0308r Tu\u0308r", passwords.hash("Schl\u00fcssel f\u00fcr T\u00fcr")))
                .isTrue();
    }

    @Test
    void noHashNeverSavesTheComputation() {
        List<String> compared = new ArrayList<>();
        Passwords passwords = new Passwords(new PasswordEncoder() {
            @Override
            public String encode(CharSequence password) {
                return "hash";
            }

            @Override
            public boolean matches(CharSequence password, String hash) {
                compared.add(hash);
                return true;
            }
        });
        assertThat(passwords.matches("password", "hash")).isTrue();
        assertThat(passwords.matches("password", "")).isFalse();
        assertThat(compared).hasSize(2);
        assertThat(compared.get(1)).startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
        assertThat(passwords.computations()).isEqualTo(2);
    }

    @Test
    void neverMoreThanTwoAtOnceAndNeverTooManyWaiting() throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        Passwords passwords = new Passwords(new PasswordEncoder() {
            @Override
            public String encode(CharSequence password) {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                running.decrementAndGet();
                return "hash";
            }

            @Override
            public boolean matches(CharSequence password, String hash) {
                return false;
            }
        });
        int calls = 30;
        int admitted = Passwords.AT_ONCE + Passwords.MOST_WAITING;
        ExecutorService threads = Executors.newFixedThreadPool(calls);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                all.add(threads.submit(() -> {
                    try {
                        passwords.hash("password");
                    } catch (TooManyAttemptsException e) {
                        refused.incrementAndGet();
                    }
                }));
            }
            Await.until("those that cannot wait are refused", SOON, () -> refused.get() == calls - admitted);
            Await.until("two run", SOON, () -> running.get() == Passwords.AT_ONCE);
            go.countDown();
            for (Future<?> each : all) {
                each.get();
            }
            assertThat(most).hasValue(Passwords.AT_ONCE);
            assertThat(passwords.computations()).isEqualTo(admitted);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aWeakPasswordIsRefused() {
        for (String weak :
                List.of("", "eleven char", "aaaaaaaaaaaa", "ababababababab", "Administrator", "x".repeat(201))) {
            assertThatThrownBy(() -> Passwords.require(weak, "administrator"))
                    .as(weak)
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("password: too");
        }
        Passwords.require("twelve chars", "administrator");
        Passwords.require("abc".repeat(66) + "de", "administrator");
        Passwords.require("пароль-пароль", "administrator");
    }
}
