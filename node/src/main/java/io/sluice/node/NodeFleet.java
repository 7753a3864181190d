package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.MemberReports;
import io.sluice.runtime.NodeId;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.StoreWatch;
import io.sluice.runtime.Tallies;
import io.sluice.runtime.caller.CallerQuestions;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterExcerptLine;
import io.sluice.runtime.center.CenterFleetLine;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DataSource;
import io.sluice.runtime.erasure.ErasableStore;
import io.sluice.runtime.erasure.Erasures;
import io.sluice.runtime.fleet.CallerPart;
import io.sluice.runtime.fleet.DataPart;
import io.sluice.runtime.fleet.ErasurePart;
import io.sluice.runtime.fleet.ExcerptPart;
import io.sluice.runtime.fleet.FleetLine;
import io.sluice.runtime.fleet.FleetMember;
import io.sluice.runtime.fleet.FleetPart;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.RedisFleetLine;
import io.sluice.runtime.fleet.WitnessPart;
import io.sluice.runtime.recording.ExcerptSource;
import io.sluice.runtime.recording.Excerpts;
import io.sluice.runtime.witness.Witness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * A node's place in its fleet. The node reports to its center over HTTP if one is configured, otherwise through Redis if its
 * rules come from there. Any other node is alone. Thread-safe.
 */
final class NodeFleet implements AutoCloseable {

    /** How many seconds are in each report through Redis, where nobody says what was read. */
    private static final int REPEATED = 10;

    private final String id;
    private final Optional<Center> center;
    private final Optional<Witness> witness;
    private final Erasures erasures;
    private final CallerQuestions questions;
    private final Optional<Excerpts> excerpts;
    private final Optional<FleetMember> member;
    private final DataOutbox outbox;
    private final DataPart data;
    private final Clock clock;

    private NodeFleet(
            String id,
            Optional<Center> center,
            Optional<Witness> witness,
            Erasures erasures,
            CallerQuestions questions,
            Optional<Excerpts> excerpts,
            Optional<FleetMember> member,
            DataOutbox outbox,
            DataPart data,
            Clock clock) {
        this.id = id;
        this.center = center;
        this.witness = witness;
        this.erasures = erasures;
        this.questions = questions;
        this.excerpts = excerpts;
        this.member = member;
        this.outbox = outbox;
        this.data = data;
        this.clock = clock;
    }

    /**
     * Prepares what the configuration names. Nothing connects yet.
     *
     * @throws IllegalArgumentException if the URI of Redis cannot be read
     */
    static NodeFleet open(NodeConfig config, Clock clock) throws StartFailedException {
        Optional<Center> center = center(config);
        Optional<FleetLine> line = center.map(CenterFleetLine::new);
        if (line.isEmpty() && config.rules() instanceof RulesFrom.Store) {
            line = config.redisUri().map(RedisFleetLine::to);
        }
        Optional<Witness> witness = line.map(each -> Witness.of(config.data(), clock));
        List<FleetPart> parts = new ArrayList<>();
        witness.map(WitnessPart::new).ifPresent(parts::add);
        Erasures erasures = new Erasures(clock);
        // Whoever can write to Redis must not be able to give orders.
        CallerQuestions questions = new CallerQuestions();
        center.ifPresent(each -> parts.addAll(List.of(new ErasurePart(erasures), new CallerPart(questions))));
        Optional<Excerpts> excerpts = center.map(each -> new Excerpts(new CenterExcerptLine(each)));
        excerpts.map(ExcerptPart::new).ifPresent(parts::add);
        DataOutbox outbox = center.isPresent() ? DataOutbox.acknowledged() : DataOutbox.repeating(REPEATED);
        DataPart data = new DataPart(outbox, clock);
        parts.add(data);
        return new NodeFleet(
                id(config),
                center,
                witness,
                erasures,
                questions,
                excerpts,
                line.map(each -> new FleetMember(each, clock, parts)),
                outbox,
                data,
                clock);
    }

    private static Optional<Center> center(NodeConfig config) throws StartFailedException {
        try {
            return config.center().map(Center::at);
        } catch (IllegalArgumentException e) {
            throw new StartFailedException(String.valueOf(e.getMessage()), List.of());
        }
    }

    /** Nodes that take any free port must not share an id. */
    private static String id(NodeConfig config) {
        int port = config.api().port();
        return NodeId.of(
                config.data(), port == 0 ? UUID.randomUUID().toString().substring(0, 8) : Integer.toString(port));
    }

    /** Returns the id of the node. */
    String id() {
        return id;
    }

    Optional<Center> center() {
        return center;
    }

    /** Returns the witness of the center's audit log; empty if the node is alone. */
    Optional<Witness> witness() {
        return witness;
    }

    /** Begins to perform the center's orders to erase. */
    void erase(Supplier<RuleSet> rules, KeySettings keys, List<ErasableStore> stores) {
        erasures.over(rules, keys, stores);
    }

    /** Returns what answers the center's questions about callers. */
    CallerQuestions questions() {
        return questions;
    }

    /** Begins to answer the center's questions for recorded requests. */
    void excerpt(ExcerptSource source) {
        excerpts.ifPresent(each -> each.over(id, source));
    }

    /** Returns what takes data for the center; empty if the node is alone. */
    Optional<DataOutbox> outbox() {
        return member.map(each -> outbox);
    }

    /** Lets a source put its last data into the outbox before the node leaves. */
    void add(DataSource source) {
        data.add(source);
    }

    /** Returns how many nodes live; 0 if that is unknown. */
    int liveNodes() {
        return member.map(FleetMember::liveNodes).orElse(0);
    }

    /** Returns the problems with the center, as sentences. */
    List<String> findings() {
        return member.map(FleetMember::findings).orElse(List.of());
    }

    /** Begins to report. */
    void report(int apiPort, OpenRules rules, StoreWatch store, Supplier<List<String>> findings, Tallies tallies) {
        member.ifPresent(each -> each.start(MemberReports.of(
                id, Kind.NODE, NodeId.host() + ":" + apiPort, rules, store, findings, tallies, clock)));
    }

    @Override
    public void close() {
        member.ifPresent(FleetMember::close);
        excerpts.ifPresent(Excerpts::close);
        erasures.close();
    }
}
