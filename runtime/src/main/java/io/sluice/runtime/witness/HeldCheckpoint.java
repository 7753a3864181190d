package io.sluice.runtime.witness;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;

/**
 * The highest accepted checkpoint of an audit log, and the key that the witness trusts. The key has signed the checkpoint, so a text that
 * was changed afterwards cannot be read.
 *
 * @param key the key that the witness saw first, or the newest that follows from it
 */
public record HeldCheckpoint(LogKey key, Checkpoint checkpoint) {

    /** The name of the file with this text in the data directory of a node. */
    public static final String FILE = "audit-witness";

    /** The maximum number of characters in its text. */
    public static final int MOST_CHARACTERS = 4_096;

    private static final int VERSION = 1;

    public HeldCheckpoint {
        if (!checkpoint.isBy(key)) {
            throw new IllegalArgumentException("signature: wrong (expected: the signature of the key)");
        }
    }

    /**
     * Reads the result of {@link #toJson}.
     *
     * @throws IllegalArgumentException if the text is anything else
     */
    public static HeldCheckpoint parse(String json) {
        JsonObject fields = JsonObject.parse(json, MOST_CHARACTERS);
        long version = fields.whole("version", 1, Integer.MAX_VALUE);
        if (version != VERSION) {
            throw new IllegalArgumentException("version: " + version + " (expected: " + VERSION + ")");
        }
        HeldCheckpoint held = new HeldCheckpoint(
                new LogKey(fields.text("key")),
                WitnessText.checkpoint(fields.object("checkpoint")
                        .orElseThrow(() -> new IllegalArgumentException("checkpoint: missing (expected: an object)"))));
        if (!held.log().equals(fields.text("log"))) {
            throw new IllegalArgumentException("log: not that of the checkpoint (expected: the same)");
        }
        return held;
    }

    /** Returns the id of the log. */
    public String log() {
        return checkpoint.log();
    }

    /** Returns it as JSON on one line. */
    public String toJson() {
        JsonLine line = new JsonLine()
                .begin()
                .field("version", VERSION)
                .field("log", log())
                .field("key", key.text())
                .begin("checkpoint");
        WitnessText.write(line, checkpoint);
        return line.end().end().toString();
    }
}
