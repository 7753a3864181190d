package io.sluice.replay.log;

import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.HostText;
import java.util.Collection;
import java.util.List;

/**
 * The slots for the fields of a line: a slot for each field that every log may have, and a slot for each further wanted attribute. An
 * unwanted field has no slot and is not kept. Immutable.
 */
final class Layout {

    static final int TIME = 0;

    /** The time at which the answer was sent, which nginx and Apache write. */
    static final int END_TIME = 1;

    /** The duration in seconds, as the sum of up to three parts. */
    static final int DURATION = 2;

    static final int DURATION_2 = 3;
    static final int DURATION_3 = 4;
    static final int DURATION_MILLIS = 5;

    /** {@code GET /path HTTP/1.1}. */
    static final int REQUEST = 6;

    static final int STATUS = 7;
    static final int PERMITS = 8;

    /** The first of the slots that are kept until their request is replayed. */
    static final int METHOD = 9;

    static final int TARGET = 10;
    static final int QUERY = 11;
    static final int HOST = 12;
    static final int IP = 13;
    static final int ATTRIBUTES = 14;

    private static final List<String> FIELDS = List.of(
            "time",
            "end_time",
            "duration",
            "duration_2",
            "duration_3",
            "duration_ms",
            "request",
            "status",
            "permits",
            "method",
            "path",
            "query",
            "host",
            "ip");

    private final List<String> attributes;
    private final boolean wantsHost;
    private final boolean wantsQuery;

    /** @param wanted the wanted attributes, by their canonical names */
    Layout(Collection<String> wanted) {
        this.attributes = wanted.stream()
                .filter(name -> !FIELDS.contains(name)
                        && !name.equals(HostText.ATTRIBUTE)
                        && !name.equals("answer.status")
                        && !name.startsWith("query."))
                .distinct()
                .sorted()
                .toList();
        this.wantsHost = wanted.contains(HostText.ATTRIBUTE);
        this.wantsQuery = wanted.stream().anyMatch(name -> name.startsWith("query."));
    }

    /** Returns whether a slot is needed after its line has been read. */
    boolean isKept(int slot) {
        return slot >= METHOD && (slot != HOST || wantsHost) && (slot != QUERY || wantsQuery);
    }

    /** Returns the slot of a field, or -1 if the field is not wanted. */
    int slot(String field) {
        String name = Attributes.normalisedName(field);
        if (name.equals(HostText.ATTRIBUTE)) {
            return HOST;
        }
        if (name.equals("answer.status")) {
            return STATUS;
        }
        int fixed = FIELDS.indexOf(name);
        if (fixed >= 0) {
            return fixed;
        }
        int own = attributes.indexOf(name);
        return own < 0 ? -1 : ATTRIBUTES + own;
    }

    /** Returns the name of the attribute in a slot from {@link #ATTRIBUTES} on. */
    String attribute(int slot) {
        return attributes.get(slot - ATTRIBUTES);
    }

    /** Returns the attributes that have slots of their own. */
    List<String> attributes() {
        return attributes;
    }

    int size() {
        return ATTRIBUTES + attributes.size();
    }
}
