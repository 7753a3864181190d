package io.sluice.runtime.participant;

import io.sluice.core.time.Clock;
import io.sluice.runtime.caller.CallerQuestions;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterExcerptLine;
import io.sluice.runtime.center.CenterFleetLine;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DataSource;
import io.sluice.runtime.erasure.Erasures;
import io.sluice.runtime.fleet.CallerPart;
import io.sluice.runtime.fleet.DataPart;
import io.sluice.runtime.fleet.ErasurePart;
import io.sluice.runtime.fleet.ExcerptPart;
import io.sluice.runtime.fleet.FleetLine;
import io.sluice.runtime.fleet.FleetMember;
import io.sluice.runtime.fleet.FleetPart;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.RedisFleetLine;
import io.sluice.runtime.fleet.WitnessPart;
import io.sluice.runtime.recording.ExcerptSource;
import io.sluice.runtime.recording.Excerpts;
import io.sluice.runtime.witness.Witness;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * The place of a process in its fleet. It reports to its center over HTTP if one is configured, otherwise through Redis if its rules come
 * from there. Any other process is alone. Thread-safe.
 */
public final class Membership implements AutoCloseable {

    /** The number of seconds that each report through Redis repeats, because no reader confirms what it has read. */
    private static final int REPEATED = 10;

    private final String id;
    private final Kind kind;
    private final Optional<Center> center;
    private final Optional<Witness> witness;
    private final Optional<Excerpts> excerpts;
    private final Optional<FleetMember> member;
    private final Erasures erasures;
    private final CallerQuestions questions = new CallerQuestions();
    private final DataOutbox outbox;
    private final DataPart data;

    private Membership(
            String id, Kind kind, Optional<Center> center, Optional<FleetLine> line, Optional<Path> data, Clock clock) {
        this.id = id;
        this.kind = kind;
        this.center = center;
        this.witness = line.map(each -> Witness.of(data, clock));
        this.excerpts = center.map(each -> new Excerpts(new CenterExcerptLine(each)));
        this.erasures = new Erasures(clock);
        this.outbox = center.isPresent() ? DataOutbox.acknowledged() : DataOutbox.repeating(REPEATED);
        this.data = new DataPart(outbox, clock);
        this.member = line.map(each -> new FleetMember(each, clock, parts()));
    }

    /**
     * Prepares the reports of a process without opening a connection.
     *
     * @param id distinguishes the process from all others of its fleet
     * @param redis the URI of the Redis that the rules come from; empty if they come from elsewhere
     * @param data the directory that keeps the witnessed part of the center's audit log, if there is one
     * @throws IllegalArgumentException if the URI of Redis cannot be read. The message may contain a password
     */
    public static Membership of(
            String id, Kind kind, Optional<Center> center, Optional<String> redis, Optional<Path> data, Clock clock) {
        Optional<FleetLine> line = center.<FleetLine>map(CenterFleetLine::new).or(() -> redis.map(RedisFleetLine::to));
        return new Membership(id, kind, center, line, data, clock);
    }

    private List<FleetPart> parts() {
        List<FleetPart> parts = new ArrayList<>();
        witness.map(WitnessPart::new).ifPresent(parts::add);
        if (center.isPresent()) {
            // A client that can write to Redis must not be able to give orders.
            parts.addAll(List.of(new ErasurePart(erasures), new CallerPart(questions)));
        }
        excerpts.map(ExcerptPart::new).ifPresent(parts::add);
        parts.add(data);
        return parts;
    }

    /** Returns the id of this process. */
    public String id() {
        return id;
    }

    Kind kind() {
        return kind;
    }

    public Optional<Center> center() {
        return center;
    }

    /** Returns the witness of the center's audit log; empty if the process is alone. */
    Optional<Witness> witness() {
        return witness;
    }

    /** Returns the component that performs the center's orders to erase. */
    Erasures erasures() {
        return erasures;
    }

    /** Returns the component that answers the center's questions about callers. */
    CallerQuestions questions() {
        return questions;
    }

    /** Starts to answer the center's questions for recorded requests. */
    void excerpt(ExcerptSource source) {
        excerpts.ifPresent(each -> each.over(id, source));
    }

    /** Returns the outbox for data to the center; empty if the process is alone. */
    Optional<DataOutbox> outbox() {
        return member.map(each -> outbox);
    }

    /** Lets a source put its last data into the outbox before the process leaves. */
    void add(DataSource source) {
        data.add(source);
    }

    /** Returns the number of live processes; 0 if it is unknown. */
    public int liveNodes() {
        return member.map(FleetMember::liveNodes).orElse(0);
    }

    /** Returns the problems with the center, as sentences. */
    public List<String> findings() {
        return member.map(FleetMember::findings).orElse(List.of());
    }

    /** Starts to report. */
    void report(LongFunction<NodeReport> reports) {
        member.ifPresent(each -> each.start(reports));
    }

    @Override
    public void close() {
        member.ifPresent(FleetMember::close);
        excerpts.ifPresent(Excerpts::close);
        erasures.close();
    }
}
