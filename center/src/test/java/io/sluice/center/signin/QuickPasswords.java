package io.sluice.center.signin;

import com.password4j.Argon2Function;
import com.password4j.types.Argon2;
import org.springframework.security.crypto.password4j.Argon2Password4jPasswordEncoder;

/** Hashes like those of the program, which need little time and memory. {@link PasswordsTest} tests those of the program. */
public final class QuickPasswords {

    private static final int MEMORY_KIB = 64;
    private static final int HASH_BYTES = 32;

    private QuickPasswords() {}

    public static Passwords create() {
        return new Passwords(new Argon2Password4jPasswordEncoder(
                Argon2Function.getInstance(MEMORY_KIB, 1, 1, HASH_BYTES, Argon2.ID)));
    }
}
