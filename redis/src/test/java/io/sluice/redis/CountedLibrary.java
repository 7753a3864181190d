package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.redis.internal.wire.DecideLibrary;
import io.sluice.testkit.redis.RedisServer;
import java.util.regex.Pattern;

/**
 * The function library in a copy that counts its steps: each turn of a loop and each command. The copy has the names of the
 * original, so an engine that connects afterwards finds its functions there already and uses them.
 */
final class CountedLibrary {

    private static final Pattern LOOP = Pattern.compile("(?m)^((?:for|while) .* do)$");
    private static final Pattern LOOP_WORD = Pattern.compile("\\b(?:for|while|repeat)\\b");
    private static final String COMMAND = "call = redis.call\n";

    private final RedisServer server;

    private CountedLibrary(RedisServer server) {
        this.server = server;
    }

    /** Loads it into a server that no engine has used yet. */
    static CountedLibrary in(RedisServer server) {
        server.command("FUNCTION", "LOAD", counting(DecideLibrary.TEXT));
        return new CountedLibrary(server);
    }

    private static String counting(String library) {
        assertThat(LOOP.matcher(library).results().count())
                .as("every loop begins a line that ends with do")
                .isEqualTo(LOOP_WORD
                        .matcher(library.replaceAll("--.*", ""))
                        .results()
                        .count());
        assertThat(library).contains(COMMAND);
        return LOOP.matcher(library)
                .replaceAll("$1 steps_taken = steps_taken + 1")
                .replace(COMMAND, "call = function(...) steps_taken = steps_taken + 1 return redis.call(...) end\n")
                .replaceFirst("\n", "\nlocal steps_taken = 0\n")
                .concat("redis.register_function('steps_taken', function()"
                        + " local taken = steps_taken steps_taken = 0 return taken end)\n");
    }

    /** Returns the steps since this was last called. */
    long steps() {
        return server.command("FCALL", "steps_taken", "0").number();
    }
}
