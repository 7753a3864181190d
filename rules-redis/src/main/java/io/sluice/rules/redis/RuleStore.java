package io.sluice.rules.redis;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The rule data in a Redis. Calls block until the answer arrives, and throw on timeout. Each call is one atomic step in Redis,
 * except {@link #keys}, {@link #read}, {@link #mirror} and {@link #remove}, which take many. Writes throw a {@link NewerLeaderException} if a
 * later leader has claimed the Redis. Not thread-safe.
 */
interface RuleStore {

    String VERSION = "rate_limit_config_version";

    /** Holds the {@linkplain Claim claim} of the center that writes. In a Cluster, the prefix of the keys that hold it. */
    String TERM = "rate_limit_config_term";

    String ADJUSTMENTS = "rate_limit_config_adjustments";
    String SNAPSHOT = "rate_limit_config_snapshot:";
    String HASH = "rate_limit_config:";
    String CHANNEL = "rate-limit-config-update";
    String RELOAD_ALL = "RELOAD_ALL";

    /** The maximum number of rules to read or write. */
    int MOST_RULES = 200_000;

    /** The maximum size of a snapshot to read or write. */
    int MOST_BYTES = 64 * 1024 * 1024;

    /**
     * Returns the first bytes of {@link #VERSION}; empty if it does not exist. A key of another type is returned as the name of that type
     * in parentheses, such as {@code (list)}, which is no version.
     */
    Optional<byte[]> version();

    /** Returns {@link #ADJUSTMENTS}; empty if it does not exist. A key of another type is returned as an empty text. */
    Optional<String> adjustments();

    /** Makes the claim of a center, so that no write of an earlier leader arrives. Does nothing if it is made, or without a center. */
    void claim();

    /** Writes {@link #ADJUSTMENTS} unless Redis has a higher revision. Returns whether they were written. */
    boolean adjust(String text, long revision);

    /** Returns the size of a snapshot in bytes; 0 if it does not exist, -1 if the key is not a text. */
    long length(long version);

    /** Returns a part of a snapshot; nothing if the key is not a text. */
    byte[] part(long version, int from, int length);

    /** Writes a snapshot unless it exists. Returns whether it was written. */
    boolean write(long version, byte[] snapshot);

    /** Writes a snapshot, and replaces any content of the key. */
    void replace(long version, byte[] snapshot);

    /**
     * Switches to the next version if the current one is unchanged. Returns false if it has changed.
     *
     * @param was the answer of {@link #version}; empty for none
     */
    boolean flip(byte[] was, String next);

    /**
     * Returns the keys that begin with this text.
     *
     * @throws TooManyException if there are more than {@code most}
     */
    Set<String> keys(String beginning, int most);

    /** Returns the content of hashes, in the order of the keys. */
    List<HashContent> read(List<String> keys);

    void mirror(Map<String, Map<String, String>> hashes);

    void remove(Collection<String> keys);

    void tell(String message);

    /** Thrown if there are more keys than allowed. */
    final class TooManyException extends RuntimeException {

        private static final long serialVersionUID = 1;

        TooManyException(String beginning, int most) {
            super(beginning + "*: more than " + most + " (expected: at most that many rules)");
        }
    }
}
