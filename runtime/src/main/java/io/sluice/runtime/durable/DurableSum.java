package io.sluice.runtime.durable;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The permits that one process charged to a count during the life of one store. Immutable. Only that process changes the sum, so a later
 * state replaces an earlier one.
 *
 * @param source the journal of the process: a new one for each process that starts without a journal
 * @param store the mark of the store that was charged
 * @param used the permits; negative if more permits were given back than charged, because an earlier store had charged them
 * @param changes the number of changes, from 1
 */
public record DurableSum(String source, String store, DurableCount count, long used, long changes) {

    /** The maximum number of permits of a sum. Engines also cut debts there. */
    static final long MOST = 1_000_000_000_000_000L;

    private static final Pattern NAME = Pattern.compile("[0-9a-zA-Z-]{1,64}");
    private static final Pattern TABS = Pattern.compile("\t");
    private static final int FIELDS = 10;
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    public DurableSum {
        if (!isName(source) || !isName(store)) {
            throw new IllegalArgumentException("source or store: unreadable (expected: letters, digits and -)");
        }
        if (used < -MOST || used > MOST || changes < 1) {
            throw new IllegalArgumentException(
                    "used: " + used + ", changes: " + changes + " (expected: at most " + MOST + ", at least 1)");
        }
    }

    /** Returns whether a text can name a journal or a store. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Returns a name for the sum of this source, store and count. It does not reveal the key. */
    public String ref() {
        String text = String.join(
                "\n",
                List.of(
                        source,
                        store,
                        encoded(count.limit()),
                        count.calendar().word().toUpperCase(Locale.ROOT),
                        count.zone(),
                        encoded(count.key()),
                        Long.toString(count.startMicros())));
        return HexFormat.of().formatHex(sha256(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the sum as a line of text without its line end. */
    public String text() {
        return String.join(
                "\t",
                List.of(
                        source,
                        store,
                        encoded(count.limit()),
                        count.calendar().word(),
                        count.zone(),
                        encoded(count.key()),
                        Long.toString(count.startMicros()),
                        Long.toString(count.endMicros()),
                        Long.toString(used),
                        Long.toString(changes)));
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if the line is not a sum
     */
    public static DurableSum parse(String line) {
        String[] fields = TABS.split(line, -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("fields: " + fields.length + " (expected: " + FIELDS + ")");
        }
        try {
            DurableCount count = new DurableCount(
                    decoded(fields[2]),
                    Calendar.of(fields[3]),
                    ZoneId.of(fields[4]).getId(),
                    decoded(fields[5]),
                    Long.parseLong(fields[6]),
                    Long.parseLong(fields[7]));
            // A sum whose count cannot be a limit cannot be charged, so each attempt to restore it would fail.
            var unused = Limit.named(count.limit());
            return new DurableSum(fields[0], fields[1], count, Long.parseLong(fields[8]), Long.parseLong(fields[9]));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("zone: unknown (expected: an id such as Europe/Berlin)", e);
        }
    }

    private static String encoded(String text) {
        return ENCODER.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String text) {
        return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
