package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.http.answer.AnswerJson;
import io.sluice.node.config.NodeConfig;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.SharedCallerKey;
import io.sluice.runtime.Store;
import io.sluice.runtime.caller.RefusedCallers;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.erasure.ErasableStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The hashes of a node's callers, and the reports to its center about refused callers. Thread-safe. */
final class NodeCallers implements AutoCloseable {

    private final KeySettings keys;
    private final Optional<SharedCallerKey> own;
    private final Optional<RefusedCallers> refused;
    private final NodeFleet fleet;
    private final Supplier<RuleSet> rules;
    private final Clock clock;

    private NodeCallers(
            NodeConfig config, Optional<SharedCallerKey> own, NodeFleet fleet, Supplier<RuleSet> rules, Clock clock) {
        this.own = own;
        this.keys = own.map(key -> config.keyForm(key.secret())).orElseGet(config::keyForm);
        this.fleet = fleet;
        this.rules = rules;
        this.clock = clock;
        this.refused = fleet.outbox()
                .filter(outbox -> outbox.takes(Kind.CALLERS))
                .map(outbox -> new RefusedCallers(outbox, rules, keys, clock));
        refused.ifPresent(callers -> {
            fleet.add(callers);
            callers.start();
        });
    }

    /** Without a configured key, the node has its own key until it agrees with other nodes on a common one. */
    static NodeCallers of(NodeConfig config, NodeFleet fleet, Supplier<RuleSet> rules, Clock clock) {
        Optional<SharedCallerKey> own =
                config.hashKey().isPresent() ? Optional.empty() : Optional.of(SharedCallerKey.open(config.data()));
        return new NodeCallers(config, own, fleet, rules, clock);
    }

    KeySettings keys() {
        return keys;
    }

    /** Returns the listeners that must receive each ruling. */
    List<RulingListener> listeners() {
        return refused.<List<RulingListener>>map(List::of).orElse(List.of());
    }

    /** Starts to answer the center's questions. */
    void answer(Evaluator evaluator) {
        fleet.questions().over(refused, keys, rules, request -> evaluator.explain(request, 1), AnswerJson::explain);
    }

    /** Starts to agree on a key with all nodes of a store. The future completes after the first attempt. */
    CompletableFuture<Boolean> agree(@Nullable Store store) {
        return store == null || own.isEmpty()
                ? CompletableFuture.completedFuture(false)
                : own.get().agree(store, clock);
    }

    /** Returns the stores from which erasures remove callers. */
    List<ErasableStore> erasable() {
        return refused.<List<ErasableStore>>map(List::of).orElse(List.of());
    }

    @Override
    public void close() {
        refused.ifPresent(RefusedCallers::close);
        own.ifPresent(SharedCallerKey::close);
    }
}
