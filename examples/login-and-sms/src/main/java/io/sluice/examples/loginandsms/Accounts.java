package io.sluice.examples.loginandsms;

import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Stands for wherever accounts are kept; there passwords are hashed. Names are compared letter by letter, as they are
 * counted.
 */
@Component
class Accounts {

    private static final Map<String, String> PASSWORDS = Map.of("alice", "wonderland", "bob", "builder");

    boolean matches(String name, String password) {
        return name != null && password != null && password.equals(PASSWORDS.get(name));
    }
}
