package io.sluice.testkit.history;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import io.sluice.core.Limit;
import io.sluice.core.history.Answered;
import io.sluice.core.history.Event;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.HistoryQueue;
import io.sluice.core.history.Recorded;
import io.sluice.core.history.Spent;
import io.sluice.core.history.Unspent;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the history of one process to a file, one JSON array in each line; see {@code docs/history.md}. Whoever has something to
 * tell waits only when {@value #CAPACITY} events wait to be written ({@link HistoryQueue}). Safe for use by many threads.
 *
 * <p>A process that is killed leaves what was written, at most its last line broken; the file then lacks its end, which the reader
 * notices.
 */
public final class HistoryWriter implements HistoryListener, AutoCloseable {

    /** How many events may wait to be written. */
    public static final int CAPACITY = 65_536;

    private final HistoryQueue queue;

    private HistoryWriter(HistoryQueue queue) {
        this.queue = queue;
    }

    /**
     * Begins a history.
     *
     * @param file must not exist
     * @param node what the process is called; different for each
     */
    public static HistoryWriter open(Path file, String node) throws IOException {
        Lines lines = new Lines(file);
        lines.header(node);
        return new HistoryWriter(new HistoryQueue(lines, CAPACITY));
    }

    /** How many events were not written. */
    public long lost() {
        return queue.lost();
    }

    @Override
    public void happened(Event event) {
        queue.happened(event);
    }

    /** Writes what is waiting, and that this is all. */
    @Override
    public void close() {
        queue.close();
    }

    /** The file. Limits and the names of counts are written once and then go by their number. */
    private static final class Lines implements HistoryQueue.Sink {

        private final JsonGenerator out;
        private final Map<Limit, Integer> limits = new HashMap<>();
        private final Map<String, Integer> counts = new HashMap<>();

        Lines(Path file) throws IOException {
            // Keys need not be proper text.
            this.out = JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .build()
                    .createGenerator(
                            Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW));
            out.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
        }

        void header(String node) throws IOException {
            line(HistoryFormat.MAGIC, HistoryFormat.VERSION, node);
            out.flush();
        }

        @Override
        public void write(Event event) throws IOException {
            if (event instanceof Recorded recorded) {
                write(recorded, countOf(recorded.count()));
            } else if (event instanceof Spent s) {
                int count = countOf(s.count());
                line("s", s.ask(), count, s.lease(), s.permits(), s.ownNanos(), s.endsNanos(), s.epochMicros());
            } else if (event instanceof Unspent u) {
                int count = countOf(u.count());
                line("u", u.ask(), count, u.lease(), u.permits(), u.ownNanos(), u.endsNanos(), u.epochMicros());
            } else if (event instanceof Answered a) {
                String refusing = a.refusing();
                int count = refusing == null ? -1 : countOf(refusing);
                begin("t");
                values(
                        a.ask(),
                        a.demands(),
                        a.charging(),
                        a.allowed(),
                        a.source().name());
                text(a.degraded());
                values(count, a.permits(), a.ruleVersion(), a.ownNanos(), a.epochMicros());
                out.writeEndArray();
            }
        }

        private void write(Recorded recorded, int count) throws IOException {
            Recorded.Step step = recorded.step();
            if (step instanceof Recorded.Asked asked) {
                Demand d = asked.demand();
                Verdict v = asked.verdict();
                int limit = limitOf(d.limit());
                begin("a", recorded, count);
                values(asked.ask(), asked.charging(), asked.ruleVersion(), limit, d.key(), d.permits(), d.atLeast());
                values(d.maxWaitMicros(), d.holder(), v.fits(), v.granted(), v.remaining(), v.retryAfterMicros());
                values(v.resetAfterMicros(), v.waitMicros(), v.chargedAtMicros());
            } else if (step instanceof Recorded.GivenBack back) {
                int limit = limitOf(back.charge().limit());
                begin("b", recorded, count);
                charge(back.charge(), limit);
            } else if (step instanceof Recorded.Renewed renewed) {
                int limit = limitOf(renewed.charge().limit());
                begin("r", recorded, count);
                charge(renewed.charge(), limit);
                values(renewed.held());
            } else if (step instanceof Recorded.Granted g) {
                int limit = limitOf(g.limit());
                begin("g", recorded, count);
                values(g.lease(), limit, g.key(), g.wanted(), g.atLeast(), g.cap(), g.maxWaitMicros(), g.granted());
                values(g.endsMicros(), g.waitMicros(), g.chargedAtMicros());
            } else if (step instanceof Recorded.Ended ended) {
                begin("e", recorded, count);
                values(ended.lease(), ended.spent(), ended.returned());
            }
            out.writeEndArray();
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void end(long lost) throws IOException {
            line("end", lost);
            out.close();
        }

        private int limitOf(Limit limit) throws IOException {
            Integer known = limits.get(limit);
            if (known == null) {
                known = limits.size();
                limits.put(limit, known);
                begin("limit");
                values(known);
                HistoryFormat.write(out, limit);
                out.writeEndArray();
            }
            return known;
        }

        private int countOf(String count) throws IOException {
            Integer known = counts.get(count);
            if (known == null) {
                known = counts.size();
                counts.put(count, known);
                line("count", known, count);
            }
            return known;
        }

        private void charge(Charge charge, int limit) throws IOException {
            values(limit, charge.key(), charge.permits(), charge.chargedAtMicros(), charge.holder());
        }

        private void begin(String kind, Recorded recorded, int count) throws IOException {
            begin(kind);
            values(count, recorded.since(), recorded.number(), recorded.atMicros());
        }

        private void line(String kind, Object... values) throws IOException {
            begin(kind);
            values(values);
            out.writeEndArray();
        }

        private void begin(String kind) throws IOException {
            out.writeStartArray();
            out.writeString(kind);
        }

        private void text(@Nullable String value) throws IOException {
            if (value == null) {
                out.writeNull();
            } else {
                out.writeString(value);
            }
        }

        private void values(Object... values) throws IOException {
            for (Object value : values) {
                if (value instanceof Long number) {
                    out.writeNumber(number);
                } else if (value instanceof Integer number) {
                    out.writeNumber(number);
                } else if (value instanceof Boolean yes) {
                    out.writeNumber(yes ? 1 : 0);
                } else {
                    out.writeString((String) value);
                }
            }
        }
    }
}
