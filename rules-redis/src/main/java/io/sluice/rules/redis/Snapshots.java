package io.sluice.rules.redis;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.yaml.DocumentError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads and writes released sets, each stored under its version. */
final class Snapshots {

    /** Redis is blocked while it answers, so a snapshot is read in parts. */
    private static final int PART_BYTES = 4 * 1024 * 1024;

    /**
     * The text of a set may take at most one part in 32 of the memory: its rules take many times as much, and the rules in force
     * stay in memory until the new ones are read.
     */
    private static final int MEMORY_PARTS = 32;

    private Snapshots() {}

    /** Returns the stored form of a set. The same set always gives the same bytes. */
    static byte[] bytes(RuleSet rules, int sharePercent) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RuleSetText.write(rules.releasedTo(sharePercent), text -> {
            out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
            if (out.size() > RuleStore.MOST_BYTES) {
                throw new IllegalArgumentException("rules: more than " + RuleStore.MOST_BYTES
                        + " bytes (expected: at most that many in one release)");
            }
        });
        return out.toByteArray();
    }

    /** Returns the set of a version, or the reason why it cannot be used. A set that is too large is not read. */
    static Reading read(RuleStore store, long version) {
        return read(store, version, Runtime.getRuntime().maxMemory());
    }

    static Reading read(RuleStore store, long version, long memoryBytes) {
        String key = RuleStore.SNAPSHOT + version;
        long length = store.length(version);
        if (length == 0) {
            return unusable(key, "snapshot: missing (expected: the rules of the version in force)");
        }
        if (length < 0) {
            return unusable(key, "snapshot: not a text (expected: the rules of the version in force)");
        }
        if (length > RuleStore.MOST_BYTES) {
            return unusable(key, "size: " + length + " bytes (expected: at most " + RuleStore.MOST_BYTES + ")");
        }
        if (length > memoryBytes / MEMORY_PARTS) {
            return unusable(
                    key,
                    "size: " + length + " bytes (expected: at most " + memoryBytes / MEMORY_PARTS + ", one part in "
                            + MEMORY_PARTS + " of the memory; raise -Xmx)");
        }
        Reading reading = RuleSetText.read(key, bytes(store, version, Math.toIntExact(length)), RuleStore.MOST_RULES);
        if (reading instanceof Reading.Found found && found.rules().version() != version) {
            return unusable(key, "version: " + found.rules().version() + " (expected: " + version + ")");
        }
        return reading;
    }

    /** Returns the stored bytes of a version. */
    static byte[] bytes(RuleStore store, long version, int length) {
        byte[] all = new byte[length];
        for (int from = 0; from < length; from += PART_BYTES) {
            byte[] part = store.part(version, from, Math.min(PART_BYTES, length - from));
            System.arraycopy(part, 0, all, from, part.length);
        }
        return all;
    }

    private static Reading unusable(String key, String message) {
        return new Reading.Unusable(List.of(DocumentError.of(key, message)));
    }
}
