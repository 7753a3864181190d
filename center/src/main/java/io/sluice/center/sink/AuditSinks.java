package io.sluice.center.sink;

import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The sinks of a center. Of several centers, the leader sends. Thread-safe. */
public final class AuditSinks implements AutoCloseable {

    /** The maximum number of rows that may wait for a sink. */
    private static final long MOST_BEHIND = 1_000_000;

    private final List<SinkFollower> followers = new ArrayList<>();

    private AuditSinks() {}

    /**
     * Creates the sinks. They send when {@link #turn} says that this center leads.
     *
     * @param data the directory in which the position of each sink is stored
     */
    public static AuditSinks open(List<AuditSink> settings, Database database, Path data, Clock clock)
            throws IOException {
        return open(settings, database, data, clock, MOST_BEHIND);
    }

    static AuditSinks open(List<AuditSink> settings, Database database, Path data, Clock clock, long mostBehind)
            throws IOException {
        AuditSinks sinks = new AuditSinks();
        for (AuditSink each : settings) {
            PositionFile file = new PositionFile(data, each.name());
            sinks.followers.add(new SinkFollower(each.name(), sink(each), database, clock, file, mostBehind));
        }
        sinks.followers.forEach(SinkFollower::start);
        return sinks;
    }

    private static Sink sink(AuditSink settings) {
        if (settings instanceof AuditSink.File file) {
            return new FileSink(file);
        }
        if (settings instanceof AuditSink.Syslog syslog) {
            return SyslogSink.of(syslog);
        }
        return new KafkaSink((AuditSink.Kafka) settings);
    }

    /** Wakes the sinks to look for new rows. Returns immediately. */
    public void turn(boolean leads) {
        followers.forEach(each -> each.turn(leads));
    }

    /** Returns the problems of the sinks, as sentences. */
    public List<String> problems() {
        return followers.stream().flatMap(each -> each.problems().stream()).toList();
    }

    List<SinkReply> states() {
        return followers.stream().map(SinkFollower::state).toList();
    }

    boolean isSending() {
        return followers.stream().anyMatch(SinkFollower::isSending);
    }

    @Override
    public void close() {
        followers.forEach(SinkFollower::close);
    }
}
