package io.sluice.center.stream;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Events on their way to one listener, as bytes. Bounded. Not thread-safe. */
final class EventQueue {

    /** The maximum number of waiting events. */
    static final int MOST_EVENTS = 1_000;

    /** The maximum size of all waiting events in bytes. */
    static final int MOST_BYTES = 2_000_000;

    private final Deque<byte[]> events = new ArrayDeque<>();
    private long bytes;

    /** Adds an event. Returns whether there was room for it. */
    boolean add(String topic, String json) {
        // JSON has line breaks only between its parts.
        return add("event: " + topic + "\ndata: " + json.replaceAll("[\r\n]+", " ") + "\n\n");
    }

    /** Adds a comment, which listeners ignore. */
    boolean comment(String text) {
        return add(": " + text + "\n\n");
    }

    private boolean add(String text) {
        byte[] event = text.getBytes(StandardCharsets.UTF_8);
        if (events.size() >= MOST_EVENTS || bytes + event.length > MOST_BYTES) {
            return false;
        }
        events.addLast(event);
        bytes += event.length;
        return true;
    }

    /** Takes the next event; null if there is none. */
    byte @Nullable [] next() {
        byte[] event = events.pollFirst();
        bytes -= event == null ? 0 : event.length;
        return event;
    }
}
