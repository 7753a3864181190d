package io.sluice.center.fleet;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A server-sent event with the rules in force, ready to send. Immutable. */
public final class RuleEvent {

    /** Nothing was released. */
    static final RuleEvent NONE = new RuleEvent(0, "", "event: none\ndata: {}\n\n");

    private static final int ALL = 100;

    private final long version;
    private final String id;
    private final byte[] bytes;

    /** A comment, which keeps the connection alive. */
    public static final RuleEvent COMFORT = new RuleEvent(0, "", ": ok\n\n");

    private RuleEvent(long version, String id, String text) {
        this.version = version;
        this.id = id;
        this.bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    static RuleEvent of(RuleSet rules) {
        if (rules.version() == 0) {
            return NONE;
        }
        String id = rules.version() + ":" + rules.digest();
        StringBuilder event = new StringBuilder("event: rules\nid: ").append(id).append("\ndata: ");
        RuleSetText.write(rules.releasedTo(ALL), text -> event.append(text.replace("\n", "\ndata: ")));
        return new RuleEvent(rules.version(), id, event.append("\n\n").toString());
    }

    long version() {
        return version;
    }

    /** Returns {@code VERSION:DIGEST}; empty if nothing was released. */
    String id() {
        return id;
    }

    /** Returns the length of the whole event. */
    public int length() {
        return bytes.length;
    }

    /** Writes a part of the event. */
    public void write(OutputStream to, int from, int length) throws IOException {
        to.write(bytes, from, length);
    }
}
