package io.sluice.center.signin.settings;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** Names of identity servers. They are the origins of accounts, so no two servers have the same name. */
final class ServerNames {

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");

    private ServerNames() {}

    static void require(String name) {
        if (!NAME.matcher(name).matches() || name.equals("local")) {
            throw new IllegalArgumentException("name of an identity server: " + name
                    + " (expected: at most 40 lower-case letters, digits or -, and not local)");
        }
    }

    static void requireDifferent(Collection<String> names) {
        Set<String> seen = new HashSet<>();
        for (String name : names) {
            if (!seen.add(name)) {
                throw new IllegalArgumentException(
                        "name of an identity server: " + name + " twice (expected: another name for each server)");
            }
        }
    }
}
