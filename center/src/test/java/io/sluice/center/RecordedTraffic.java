package io.sluice.center;

import io.sluice.runtime.recording.ExcerptHead;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;

/** Requests as a node records them, and the excerpt that it would send. */
public final class RecordedTraffic {

    private final List<String> lines = new ArrayList<>();
    private final long sinceMicros;
    private boolean cut;
    private long dropped;
    private Set<String> plain = Set.of();
    private String key = "k".repeat(43);

    public RecordedTraffic(long sinceMicros) {
        this.sinceMicros = sinceMicros;
    }

    /** The node had more requests than it could send. */
    public RecordedTraffic cut() {
        cut = true;
        return this;
    }

    /** Its recording lacks events. */
    RecordedTraffic dropped(long events) {
        dropped = events;
        return this;
    }

    /** It records these attributes as they are. */
    RecordedTraffic plain(String... names) {
        plain = Set.of(names);
        return this;
    }

    /** It hashes callers with another key. */
    RecordedTraffic key(String mark) {
        key = mark;
        return this;
    }

    /** Adds a request of an address, 203.0.113.N. */
    public RecordedTraffic request(long atMicros, String path, int address) {
        return line("{\"timestamp\":\"" + time(atMicros) + "\",\"resource\":\"" + path
                + "\",\"method\":\"POST\",\"dimensions\":{\"ip\":\"203.0.113.*\"},\"hashes\":{\"ip\":\""
                + "ip%02d".formatted(address).repeat(11).substring(0, 43) + "\"},\"permits\":1}");
    }

    /** Adds a line. */
    public RecordedTraffic line(String text) {
        lines.add(text);
        return this;
    }

    public static String time(long atMicros) {
        return Instant.EPOCH.plus(atMicros, ChronoUnit.MICROS).toString();
    }

    public byte[] excerpt() {
        return gzip(new ExcerptHead(sinceMicros, cut, dropped, plain, key).toJson() + "\n" + String.join("\n", lines)
                + "\n");
    }

    static byte[] gzip(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
