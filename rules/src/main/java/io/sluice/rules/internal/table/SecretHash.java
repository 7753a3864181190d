package io.sluice.rules.internal.table;

import java.security.SecureRandom;

/**
 * Hashes text unpredictably. The hashes depend on a secret of this process, so an attacker cannot craft rules or requests whose texts all
 * collide in one place of a table.
 *
 * <p>A hash is computed character by character, beginning with {@link #START}. So the hashes of all prefixes of a text cost no more than
 * the hash of the whole text.
 */
public final class SecretHash {

    static final long START = new SecureRandom().nextLong();

    private static final long FACTOR = new SecureRandom().nextLong() | 1;

    private SecretHash() {}

    static long and(long hash, char next) {
        long product = (hash ^ next) * FACTOR;
        return product ^ (product >>> 32);
    }

    static long of(String text, int from, int to) {
        long hash = START;
        for (int i = from; i < to; i++) {
            hash = and(hash, text.charAt(i));
        }
        return hash;
    }

    /** Returns a hash code for tables of objects. */
    public static int code(String text) {
        return mixed(of(text, 0, text.length()), text.length());
    }

    static int mixed(long hash, long with) {
        return (int) (spread(hash, with) >>> 32);
    }

    /** Mixes all bits of both values into all bits, the upper ones best. */
    static long spread(long hash, long with) {
        long product = (hash ^ with * 0x9E3779B97F4A7C15L) * FACTOR;
        return (product ^ (product >>> 32)) * 0x9E3779B97F4A7C15L;
    }
}
