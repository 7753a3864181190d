package io.sluice.rules.source;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The public state of a rule source: the set in force, the current refusal, and the listeners. For implementers of {@link
 * RuleSource}. Thread-safe; reading never blocks.
 *
 * <p>Listeners are called under one lock, so that each receives every event once and in order, including events that happen while it is
 * being added. Exceptions of a listener are counted and logged, and do not affect the other listeners.
 */
public final class PublishedRules {

    private final CompletableFuture<RuleSet> first = new CompletableFuture<>();
    private final List<RuleListener> listeners = new CopyOnWriteArrayList<>();
    private final CallbackFailures failures = new CallbackFailures("a rule listener", PublishedRules.class);
    private volatile RuleSet latest = RuleSet.none();
    private volatile @Nullable RefusedSet refused;
    private boolean published;
    private boolean closed;

    /** Returns the set in force, see {@link RuleSource#latest}. */
    public RuleSet latest() {
        return latest;
    }

    /** Returns the stage of the first set, see {@link RuleSource#first}. */
    public CompletionStage<RuleSet> first() {
        return first.minimalCompletionStage();
    }

    /** Returns the errors of the newest set, see {@link RuleSource#refused}. */
    public List<DocumentError> refused() {
        RefusedSet set = refused;
        return set == null ? List.of() : set.errors();
    }

    /** Returns the newest set if it was refused, see {@link RuleSource#refusedSet}. */
    public Optional<RefusedSet> refusedSet() {
        return Optional.ofNullable(refused);
    }

    /** Adds a listener, see {@link RuleSource#listen}. */
    public synchronized void listen(RuleListener listener) {
        if (closed) {
            return;
        }
        if (published) {
            tell(listener, told -> told.changed(latest));
        }
        List<DocumentError> errors = refused();
        if (!errors.isEmpty()) {
            tell(listener, told -> told.refused(errors));
        }
        listeners.add(listener);
    }

    /** Returns whether two sets are the same release, regardless of their adjustments and trials. */
    static boolean isSameRelease(RuleSet a, RuleSet b) {
        // The digest of a large set takes long, and is needed only if the versions agree.
        return a.version() == b.version() && a.stamp().equals(b.stamp());
    }

    /** Puts a newer set in force. This clears a refusal. */
    public void publish(RuleSet rules) {
        publish(rules, true);
    }

    /** Puts a set in force that differs only in its adjustments or in its trial. A refusal stays. */
    public void amend(RuleSet rules) {
        publish(rules, false);
    }

    private void publish(RuleSet rules, boolean newer) {
        synchronized (this) {
            if (closed) {
                return;
            }
            latest = rules;
            published = true;
            refused = newer ? null : refused;
            listeners.forEach(listener -> tell(listener, told -> told.changed(rules)));
        }
        first.complete(rules);
    }

    /** Records that a new set was refused. */
    public void refuse(List<DocumentError> errors) {
        refuse(new RefusedSet(Optional.empty(), errors));
    }

    /** Records that a new set was refused. */
    public synchronized void refuse(RefusedSet set) {
        if (!closed) {
            refused = set.errors().isEmpty() ? null : set;
            listeners.forEach(listener -> tell(listener, told -> told.refused(set.errors())));
        }
    }

    /** Clears the refusal: the set in force is the newest again. */
    public synchronized void settle() {
        refused = null;
    }

    /** Stops notifying listeners. Cancels the wait for a first set. */
    public void close() {
        synchronized (this) {
            closed = true;
            listeners.clear();
        }
        first.cancel(false);
    }

    private void tell(RuleListener listener, Consumer<RuleListener> what) {
        try {
            what.accept(listener);
        } catch (Throwable e) {
            failures.add(e);
        }
    }
}
