package io.sluice.rules.redis;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A Redis, as far as rules are concerned. Calls wait for the answer, and throw if there is none in time; each is one step in
 * Redis, but for {@link #keys} and {@link #read}, which are many. Not for several threads.
 */
interface RuleStore {

    String VERSION = "rate_limit_config_version";
    String SNAPSHOT = "rate_limit_config_snapshot:";
    String HASH = "rate_limit_config:";
    String CHANNEL = "rate-limit-config-update";
    String RELOAD_ALL = "RELOAD_ALL";

    /** More rules than that are neither read nor written. */
    int MOST_RULES = 200_000;

    /** A snapshot that is larger is neither read nor written. */
    int MOST_BYTES = 64 * 1024 * 1024;

    /** The first bytes of {@link #VERSION}; empty if there is none. */
    Optional<byte[]> version();

    /** Of a snapshot in bytes; 0 if there is none. */
    long length(long version);

    /** A part of a snapshot. */
    byte[] part(long version, int from, int length);

    /** Whether it was written, because there was none. */
    boolean write(long version, byte[] snapshot);

    /** Whether the version was named, because it still was what it had been. */
    boolean flip(String was, String next);

    /**
     * The keys with a beginning.
     *
     * @throws TooManyException if there are more
     */
    Set<String> keys(String beginning, int most);

    /** What is in hashes, in the order of the keys. */
    List<HashContent> read(List<String> keys);

    void mirror(Map<String, Map<String, String>> hashes);

    void remove(Collection<String> keys);

    void tell(String message);

    /** There are more keys than may be. */
    final class TooManyException extends RuntimeException {

        private static final long serialVersionUID = 1;

        TooManyException(String beginning, int most) {
            super(beginning + "*: more than " + most + " (expected: at most so many rules)");
        }
    }
}
