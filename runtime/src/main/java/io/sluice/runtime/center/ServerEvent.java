package io.sluice.runtime.center;

/** One server-sent event. */
final class ServerEvent {

    private final String name;
    private final String id;
    private final byte[] data;
    private final boolean tooLong;

    ServerEvent(String name, String id, byte[] data, boolean tooLong) {
        this.name = name;
        this.id = id;
        this.data = data;
        this.tooLong = tooLong;
    }

    /** Returns the type of the event. */
    String name() {
        return name;
    }

    /** Returns the id; empty if the event has none. */
    String id() {
        return id;
    }

    /** Returns the text in UTF-8; empty if it was too long. */
    byte[] data() {
        return data;
    }

    /** Returns whether the text was too long and was dropped. */
    boolean tooLong() {
        return tooLong;
    }
}
