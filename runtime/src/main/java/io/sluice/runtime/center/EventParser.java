package io.sluice.runtime.center;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a stream of bytes into server-sent events as the WHATWG HTML standard defines them. An event whose end is missing is
 * not an event. Not thread-safe.
 */
final class EventParser {

    /** More than the names and ids of events take. */
    private static final int LONGEST_FIELD = 1_024;

    private final int mostBytes;
    private final Text line = new Text();
    private Text data = new Text();
    private String name = "";
    private String id = "";
    private boolean hasData;
    private boolean tooLong;
    private boolean afterReturn;

    /** @param mostBytes the longest text of an event */
    EventParser(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Returns the events that end within these bytes. */
    List<ServerEvent> parse(ByteBuffer bytes) {
        List<ServerEvent> events = new ArrayList<>();
        byte[] some = new byte[bytes.remaining()];
        bytes.get(some);
        int begin = 0;
        for (int i = 0; i < some.length; i++) {
            boolean secondOfTwo = some[i] == '\n' && afterReturn;
            afterReturn = some[i] == '\r';
            if (secondOfTwo) {
                begin = i + 1;
            } else if (some[i] == '\n' || some[i] == '\r') {
                add(some, begin, i);
                begin = i + 1;
                endOfLine(events);
            }
        }
        add(some, begin, some.length);
        return events;
    }

    private void add(byte[] some, int begin, int end) {
        int free = LONGEST_FIELD + mostBytes - line.size();
        tooLong |= end - begin > free;
        line.write(some, begin, Math.min(end - begin, Math.max(0, free)));
    }

    private void endOfLine(List<ServerEvent> events) {
        if (line.size() == 0) {
            if (hasData) {
                events.add(new ServerEvent(name, id, tooLong ? new byte[0] : data.toByteArray(), tooLong));
            }
            data = new Text();
            name = "";
            id = "";
            hasData = false;
            tooLong = false;
        } else {
            field();
            line.reset();
        }
    }

    private void field() {
        int colon = line.indexOf(':');
        if (colon == 0) {
            return;
        }
        int value = colon < 0 ? line.size() : colon + 1;
        value += value < line.size() && line.at(value) == ' ' ? 1 : 0;
        switch (line.text(0, Math.min(colon < 0 ? line.size() : colon, LONGEST_FIELD))) {
            case "data" -> data(value);
            case "event" -> name = line.text(value, Math.min(line.size(), value + LONGEST_FIELD));
            case "id" -> id = line.text(value, Math.min(line.size(), value + LONGEST_FIELD));
            default -> {
                // The standard asks to ignore other fields.
            }
        }
    }

    private void data(int from) {
        int length = line.size() - from + (hasData ? 1 : 0);
        if (tooLong || data.size() + length > mostBytes) {
            tooLong = true;
            data = new Text();
        } else {
            if (hasData) {
                data.write('\n');
            }
            line.copy(from, data);
        }
        hasData = true;
    }

    /** Bytes that grow, with access to each. */
    private static final class Text extends ByteArrayOutputStream {

        byte at(int index) {
            return buf[index];
        }

        int indexOf(char c) {
            for (int i = 0; i < count; i++) {
                if (buf[i] == c) {
                    return i;
                }
            }
            return -1;
        }

        String text(int from, int to) {
            return new String(buf, from, to - from, StandardCharsets.UTF_8);
        }

        void copy(int from, ByteArrayOutputStream out) {
            out.write(buf, from, count - from);
        }
    }
}
