package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.record.Recorder;
import io.sluice.redis.store.StoreListener;
import io.sluice.rules.caller.KeySettings;
import io.sluice.runtime.NodeId;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.SharedCallerKey;
import io.sluice.runtime.Store;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterDurableLine;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.participant.Closing;
import io.sluice.runtime.participant.Engines;
import io.sluice.runtime.participant.Membership;
import io.sluice.runtime.participant.Participant;
import io.sluice.runtime.participant.Participant.CallerKeys;
import io.sluice.runtime.participant.StoreOpening;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;

/** Opens the parts of a node that its configuration names, and turns their failures into messages for the operator. */
final class NodeParts {

    private NodeParts() {}

    /** Takes possession of the directory of the recording, if there is one. */
    static Optional<Recorder> recorder(NodeConfig config, Clock clock) throws StartFailedException {
        try {
            return config.recording().map(settings -> Recorder.open(settings, clock));
        } catch (IllegalArgumentException e) {
            throw failed(e);
        }
    }

    /**
     * Opens the rules and the participant.
     *
     * @param listener is notified of all calls to the store
     * @param parts takes all that is opened
     */
    static Participant participant(
            NodeConfig config,
            Store.Opener opener,
            StoreListener listener,
            Optional<Recorder> recorder,
            Closing parts,
            Clock clock)
            throws StartFailedException {
        Optional<Center> center = center(config);
        StoreOpening opening = parts.add(StoreOpening.begin(
                new StoreOpening.Address(config.redisUri(), config.redisPrefix()),
                opener,
                ForkJoinPool.commonPool(),
                clock,
                listener,
                recorder.map(each -> each)));
        Membership membership;
        OpenRules rules;
        Engines engines;
        try {
            Optional<String> redis =
                    config.rules() instanceof RulesFrom.Store ? config.redisUri() : Optional.<String>empty();
            membership = parts.add(Membership.of(id(config), Kind.NODE, center, redis, config.data(), clock));
            rules = parts.add(NodeRules.open(config, membership));
            engines = parts.add(Engines.open(
                    opening,
                    rules.source()::latest,
                    config.data(),
                    center.map(CenterDurableLine::new),
                    clock,
                    recorder.map(each -> each)));
        } catch (IllegalArgumentException e) {
            throw unreadable();
        }
        try {
            return parts.add(Participant.open(
                    membership,
                    engines,
                    rules,
                    keys(config),
                    config.decisions().log(),
                    recorder.map(each -> each),
                    clock));
        } catch (IllegalArgumentException e) {
            throw failed(e);
        }
    }

    /** Without a configured key, the node has its own key until it agrees with other nodes on a common one. */
    private static CallerKeys keys(NodeConfig config) {
        if (config.hashKey().isPresent()) {
            return new CallerKeys(config.keyForm(), Optional.empty());
        }
        SharedCallerKey own = SharedCallerKey.open(config.data());
        KeySettings settings = config.keyForm(own.secret());
        return new CallerKeys(settings, Optional.of(own));
    }

    private static Optional<Center> center(NodeConfig config) throws StartFailedException {
        try {
            return config.center().map(Center::at);
        } catch (IllegalArgumentException e) {
            throw failed(e);
        }
    }

    /** Nodes that take any free port must not share an id. */
    private static String id(NodeConfig config) {
        int port = config.api().port();
        return NodeId.of(
                config.data(), port == 0 ? UUID.randomUUID().toString().substring(0, 8) : Integer.toString(port));
    }

    private static StartFailedException failed(IllegalArgumentException e) {
        return new StartFailedException(String.valueOf(e.getMessage()), List.of());
    }

    /** Omits the URI and the exception's text, because both may contain a password. */
    private static StartFailedException unreadable() {
        return new StartFailedException(
                "redis: unreadable (expected: redis://HOST:PORT, rediss://HOST:PORT, redis-sentinel://…,"
                        + " redis-cluster://HOST:PORT,HOST:PORT or rediss-cluster://…)",
                List.of());
    }
}
