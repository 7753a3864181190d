package io.sluice.examples.loginandsms;

import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * A stand-in for a real account store, which would hash the passwords. Names are case-sensitive, like the counts.
 */
@Component
class Accounts {

    private static final Map<String, String> PASSWORDS = Map.of("alice", "wonderland", "bob", "builder");

    boolean matches(String name, String password) {
        return name != null && password != null && password.equals(PASSWORDS.get(name));
    }
}
