package io.sluice.rules.source;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A source of rules. It holds the set in force and notifies listeners of changes. A set with an error is refused as a whole, and
 * the last good set stays in force. Thread-safe.
 *
 * <p>A source may have no set yet, because its store is unavailable or its file has errors. {@link #latest} then has no rules and version
 * 0, and {@link #first} is not complete. Implementations keep their state in {@link PublishedRules}.
 */
public interface RuleSource extends AutoCloseable {

    /** Returns the set in force, or {@link RuleSet#none} while there is none. Must be fast: every decision calls it. */
    RuleSet latest();

    /** Returns a stage that completes with the first set, or is cancelled if the source is closed before. */
    CompletionStage<RuleSet> first();

    /** Returns the errors of the newest set if it was refused; empty if the set in force is the newest, or no set has arrived yet. */
    List<DocumentError> refused();

    /** Returns the newest set if it was refused, with its version if the source knows it. */
    default Optional<RefusedSet> refusedSet() {
        List<DocumentError> errors = refused();
        return errors.isEmpty() ? Optional.empty() : Optional.of(new RefusedSet(Optional.empty(), errors));
    }

    /** Adds a listener. It is notified immediately of the set in force and of a current refusal, and then of every later event. */
    void listen(RuleListener listener);

    /** Returns the adjustments on top of the rules, including expired adjustments. */
    default Adjustments adjustments() {
        return Adjustments.NONE;
    }

    /** Returns sentences about adjustments on top of the rules that were left out; empty if all apply. */
    default List<String> unfitAdjustments() {
        return List.of();
    }

    /** Reads the rules again if the source does not do so by itself. Returns their errors; empty if there are none. */
    default List<DocumentError> reload() {
        return List.of();
    }

    /** Stops the source. The set in force stays, and listeners are no longer notified. */
    @Override
    void close();

    /** Returns whether there is a set. */
    default boolean hasRules() {
        CompletableFuture<RuleSet> first = first().toCompletableFuture();
        return first.isDone() && !first.isCompletedExceptionally();
    }

    /** Returns a source with one set that never changes. */
    static RuleSource fixed(RuleSet rules) {
        return new FixedRuleSource(rules);
    }
}
