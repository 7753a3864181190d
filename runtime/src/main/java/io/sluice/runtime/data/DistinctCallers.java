package io.sluice.runtime.data;

import io.sluice.rules.caller.CallerMark;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.TreeSet;

/**
 * The number of different callers that were refused: exact up to 256, and with a standard error of 6 % above. It keeps the lowest numbers
 * that the hashes of callers give. Two instances can be merged. Not thread-safe.
 */
public final class DistinctCallers {

    private static final int MOST = 256;
    private static final int NUMBER_CHARACTERS = 12;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final TreeSet<Long> lowest = new TreeSet<>(Long::compareUnsigned);

    /** Adds a caller. Adding it again changes nothing. */
    public void add(CallerMark caller) {
        add(number(caller.hash()));
    }

    private static long number(String hash) {
        if (hash.length() < NUMBER_CHARACTERS) {
            throw new IllegalArgumentException("hash: too short (expected: 43 characters)");
        }
        return ByteBuffer.wrap(Base64.getUrlDecoder().decode(hash.substring(0, NUMBER_CHARACTERS)))
                .getLong();
    }

    /** Forgets the caller with a hash. Returns false if it was not there. */
    public boolean forget(String hash) {
        long number = number(hash);
        boolean isFull = lowest.size() == MOST;
        Long below = lowest.lower(number);
        Long above = lowest.higher(number);
        if (!lowest.remove(number)) {
            return false;
        }
        if (isFull) {
            // The estimate is only right if the set stays full. So a random number, which belongs to no caller, takes
            // the place of the removed one.
            long from = below == null ? 0 : below + 1;
            long room = above == null ? number - from + 1 : above - from;
            long other = from + Long.remainderUnsigned(RANDOM.nextLong(), Math.max(1, room));
            add(other == number && room > 1 ? from + Long.remainderUnsigned(other - from + 1, room) : other);
        }
        return true;
    }

    private void add(long number) {
        if (lowest.add(number) && lowest.size() > MOST) {
            lowest.pollLast();
        }
    }

    public void merge(DistinctCallers other) {
        other.lowest.forEach(this::add);
    }

    /** Returns the number of callers; above 256 it is an estimate. */
    public long estimate() {
        if (lowest.size() < MOST) {
            return lowest.size();
        }
        // The numbers are spread evenly, so the highest of the lowest ones shows how dense they are.
        double share = (lowest.last() >>> 11) * 0x1.0p-53;
        return Math.round((MOST - 1) / share);
    }

    public byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(lowest.size() * Long.BYTES);
        lowest.forEach(bytes::putLong);
        return bytes.array();
    }

    /** Reads what {@link #toBytes} writes. Throws {@link IllegalArgumentException} if the bytes have another form. */
    public static DistinctCallers of(byte[] bytes) {
        if (bytes.length % Long.BYTES != 0 || bytes.length > MOST * Long.BYTES) {
            throw new IllegalArgumentException("distinct callers: damaged (expected: at most " + MOST + " numbers)");
        }
        DistinctCallers callers = new DistinctCallers();
        for (ByteBuffer in = ByteBuffer.wrap(bytes); in.hasRemaining(); ) {
            callers.add(in.getLong());
        }
        return callers;
    }
}
