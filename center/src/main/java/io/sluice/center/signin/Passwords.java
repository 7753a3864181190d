package io.sluice.center.signin;

import com.password4j.Argon2Function;
import com.password4j.types.Argon2;
import io.sluice.center.refusal.RefusedException;
import java.text.Normalizer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.crypto.password4j.Argon2Password4jPasswordEncoder;

/**
 * Computes and compares the hashes of passwords. A computation takes 19 MiB of memory, so at most two run at the same time; others wait. If
 * many are waiting already, the next one is refused, so that waiting sign-ins never take all threads of the server. Thread-safe.
 */
public final class Passwords {

    static final int AT_ONCE = 2;
    static final int MOST_WAITING = 12;

    private static final int SHORTEST = 12;
    private static final int LONGEST = 200;
    private static final Duration RETRY = Duration.ofSeconds(2);

    private static final int MEMORY_KIB = 19 * 1024;
    private static final int ITERATIONS = 2;
    private static final int HASH_BYTES = 32;

    /** A hash of no known password. A comparison with it takes as much work as a comparison with any other hash. */
    private static final String NOBODY = "$argon2id$v=19$m=" + MEMORY_KIB + ",t=" + ITERATIONS
            + ",p=1$c2x1aWNlLW5vYm9keS4uLg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    private final PasswordEncoder encoder;
    private final Semaphore free = new Semaphore(AT_ONCE, true);
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicLong computations = new AtomicLong();

    Passwords(PasswordEncoder encoder) {
        this.encoder = encoder;
    }

    /** Creates hashes with Argon2id. */
    public static Passwords argon2() {
        return new Passwords(new Argon2Password4jPasswordEncoder(
                Argon2Function.getInstance(MEMORY_KIB, ITERATIONS, 1, HASH_BYTES, Argon2.ID)));
    }

    /**
     * Refuses a new password that is too easy to guess.
     *
     * @param name the name of the account
     */
    public static void require(String password, String name) {
        String text = normal(password);
        int length = text.codePointCount(0, text.length());
        if (length < SHORTEST || length > LONGEST) {
            throw RefusedException.invalid("password: too " + (length < SHORTEST ? "short" : "long") + " (expected: "
                    + SHORTEST + " to " + LONGEST + " characters)");
        }
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.codePoints().distinct().count() < 3 || lower.strip().equals(name.toLowerCase(Locale.ROOT))) {
            throw RefusedException.invalid(
                    "password: too easy to guess (expected: not the name of the account, and several different"
                            + " characters)");
        }
    }

    /** Returns the hash of a new password. */
    public String hash(String password) {
        return compute(() -> String.valueOf(encoder.encode(normal(password))));
    }

    /**
     * Compares a password with a hash. Takes exactly one computation, even if there is no hash.
     *
     * @param hash empty if the account does not exist, cannot be used or has no password; then the answer is false
     */
    public boolean matches(String password, String hash) {
        boolean same = compute(() -> encoder.matches(normal(password), hash.isEmpty() ? NOBODY : hash));
        return same && !hash.isEmpty();
    }

    /** Returns the number of computations so far. */
    public long computations() {
        return computations.get();
    }

    private <T> T compute(Supplier<T> computation) {
        try {
            if (present.incrementAndGet() > AT_ONCE + MOST_WAITING) {
                throw new TooManyAttemptsException(RETRY);
            }
            free.acquireUninterruptibly();
            try {
                computations.incrementAndGet();
                return computation.get();
            } finally {
                free.release();
            }
        } finally {
            present.decrementAndGet();
        }
    }

    /** Returns the password in one form, because keyboards write some letters in more than one way. */
    private static String normal(String password) {
        return Normalizer.normalize(password, Normalizer.Form.NFKC);
    }
}
