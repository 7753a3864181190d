package io.sluice.rules.source;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Where rules come from: it holds the set in force and says when that changes. A set that has an error is refused whole and
 * the last good one stays in force. Safe for use by many threads.
 *
 * <p>A source may have no set yet: the store is away, the file is bad. Then {@link #latest} has no rules and version 0, and
 * {@link #first} is not done. {@link PublishedRules} is what implementations hold their state in.
 */
public interface RuleSource extends AutoCloseable {

    /** The set in force; {@link RuleSet#none} while there is none. Quick: every decision asks. */
    RuleSet latest();

    /** Done as soon as there is a set, with that set; cancelled if the source is closed before. */
    CompletionStage<RuleSet> first();

    /** What is wrong with the newest set, if it was refused; empty if the set in force is the newest, or none has come yet. */
    List<DocumentError> refused();

    /** Adds a listener. It is told at once of the set in force and of a refusal that stands, and then of what happens. */
    void listen(RuleListener listener);

    /** Stops: the set in force stays, and nobody is told anything any more. */
    @Override
    void close();

    /** Whether there is a set. */
    default boolean hasRules() {
        CompletableFuture<RuleSet> first = first().toCompletableFuture();
        return first.isDone() && !first.isCompletedExceptionally();
    }

    /** A source of one set that never changes. */
    static RuleSource fixed(RuleSet rules) {
        return new FixedRuleSource(rules);
    }
}
