package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.runtime.MemberReports;
import io.sluice.runtime.NodeId;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.StoreWatch;
import io.sluice.runtime.Tallies;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterFleetLine;
import io.sluice.runtime.fleet.FleetLine;
import io.sluice.runtime.fleet.FleetMember;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.RedisFleetLine;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * A node's place in its fleet. The node reports to its center over HTTP if one is configured, otherwise through Redis if its
 * rules come from there. Any other node is alone. Thread-safe.
 */
final class NodeFleet implements AutoCloseable {

    private final String id;
    private final Optional<Center> center;
    private final Optional<FleetMember> member;
    private final Clock clock;

    private NodeFleet(String id, Optional<Center> center, Optional<FleetMember> member, Clock clock) {
        this.id = id;
        this.center = center;
        this.member = member;
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
        return new NodeFleet(id(config), center, line.map(each -> new FleetMember(each, clock)), clock);
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
    }
}
