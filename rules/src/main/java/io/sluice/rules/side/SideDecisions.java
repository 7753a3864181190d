package io.sluice.rules.side;

import io.sluice.core.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The decisions of the sides that were asked about one request, in the order in which they were asked. Immutable. */
public final class SideDecisions implements Iterable<Decision> {

    /** No side was asked. */
    public static final SideDecisions NONE = new SideDecisions(List.of(), List.of());

    private final List<Side> sides;
    private final List<Decision> decisions;

    SideDecisions(List<Side> sides, List<Decision> decisions) {
        this.sides = sides;
        this.decisions = decisions;
    }

    /** Returns these decisions and later ones. */
    public SideDecisions and(SideDecisions later) {
        if (isEmpty() || later.isEmpty()) {
            return isEmpty() ? later : this;
        }
        if (decisions.size() == 1 && later.decisions.size() == 1) {
            return new SideDecisions(
                    List.of(sides.get(0), later.sides.get(0)), List.of(decisions.get(0), later.decisions.get(0)));
        }
        List<Side> asked = new ArrayList<>(sides);
        asked.addAll(later.sides);
        List<Decision> all = new ArrayList<>(decisions);
        all.addAll(later.decisions);
        return new SideDecisions(List.copyOf(asked), List.copyOf(all));
    }

    /** Returns the decisions without their sides. */
    public List<Decision> all() {
        return decisions;
    }

    public boolean isEmpty() {
        return decisions.isEmpty();
    }

    @Override
    public Iterator<Decision> iterator() {
        return decisions.iterator();
    }

    /** Calls the action with each side and its decision. */
    public void forEach(BiConsumer<Side, Decision> action) {
        for (int i = 0; i < decisions.size(); i++) {
            action.accept(sides.get(i), decisions.get(i));
        }
    }

    /** Returns whether all decisions allow the request. */
    public boolean allowed() {
        for (int i = 0; i < decisions.size(); i++) {
            if (!decisions.get(i).allowed()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the longest retry time; empty (never) if one of the decisions has none. */
    public Optional<Duration> retryAfter() {
        Duration longest = Duration.ZERO;
        for (Decision decision : decisions) {
            Optional<Duration> retry = decision.retryAfter();
            if (retry.isEmpty()) {
                return retry;
            }
            longest = longer(longest, retry.get());
        }
        return Optional.of(longest);
    }

    /** Returns the longest wait. */
    public Duration waitFor() {
        Duration longest = Duration.ZERO;
        for (Decision decision : decisions) {
            longest = longer(longest, decision.waitFor());
        }
        return longest;
    }

    /** Returns the reason of the first degraded decision; null if none is degraded. */
    public @Nullable String degraded() {
        for (Decision decision : decisions) {
            if (decision.degraded() != null) {
                return decision.degraded();
            }
        }
        return null;
    }

    /** Gives back the permits that these decisions charged, at every side. Call it at most once. */
    public CompletionStage<?> giveBack() {
        CompletableFuture<?>[] given = new CompletableFuture<?>[decisions.size()];
        for (int i = 0; i < given.length; i++) {
            given[i] = sides.get(i).limiter().giveBack(decisions.get(i)).toCompletableFuture();
        }
        return CompletableFuture.allOf(given);
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
