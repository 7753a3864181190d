package io.sluice.rules.redis;

import io.sluice.rules.document.RuleDocument;
import java.time.Duration;

/** Reads rules from the founding hashes of a Redis once, without following them. */
public final class RedisHashes {

    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(5);
    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(10);

    private RedisHashes() {}

    /**
     * Returns the rules of all hashes as one set, in the order of their keys, or their errors. Blocks until Redis answers.
     *
     * @param uri the address, in the form that {@link RedisDocuments#at} accepts
     * @throws IllegalArgumentException if the URI is invalid
     * @throws RuntimeException if Redis cannot be reached or refuses a command
     */
    public static RuleDocument read(String uri) {
        try (RuleServer server = RuleServer.at(uri, CONNECTING_MAY_TAKE);
                RuleLine line = server.open(ANSWER_MAY_TAKE)) {
            return new FoundingHashes().read(line.store());
        }
    }
}
