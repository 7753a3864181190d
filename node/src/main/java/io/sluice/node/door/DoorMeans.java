package io.sluice.node.door;

import io.sluice.core.time.Clock;
import io.sluice.node.access.DoorTokens;
import io.sluice.node.config.DoorSection;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.state.Health;
import io.sluice.node.state.NodeMetrics;
import io.sluice.node.trace.Tracing;
import io.sluice.node.transport.EventLoops;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.participant.Participant;
import java.util.Optional;

/**
 * The parts of a node that a door may use. The node opens them before its doors and closes them after its doors.
 *
 * @param participant the rules, the engines and the counts of the node
 * @param evaluator decides requests
 * @param loops the event loops that the doors share
 * @param tokens the token files of the ports
 */
public record DoorMeans(
        NodeConfig config,
        Participant participant,
        Evaluator evaluator,
        EventLoops loops,
        DoorTokens tokens,
        Tracing tracing,
        NodeMetrics metrics,
        Health health,
        Clock clock) {

    /** Returns the section of the configuration file for a door; empty if it has none. */
    public Optional<DoorSection> section(String name) {
        return Optional.ofNullable(config.doors().get(name));
    }

    /** Returns the rules in force. */
    public RuleSet rules() {
        return participant.rules().source().latest();
    }
}
