package io.sluice.rules.side;

import io.sluice.core.Limiter;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The sides that count the limits of this process, in the order in which they are asked: the cheapest first. Immutable. */
public final class Sides {

    /** The maximum time to renew or release permits, or to charge usage, unless a side has another one. */
    public static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(1);

    private final List<Side> all;

    private Sides(List<Side> all) {
        this.all = List.copyOf(all);
    }

    /** Creates the only side of a process without a store. */
    public static Sides inProcess(Limiter limiter) {
        return new Sides(List.of(new Side(0, Side.PROCESS, limiter, DEFAULT_DEADLINE, null)));
    }

    /**
     * Creates the sides of a process.
     *
     * @param store the limiter of the shared store; null if there is none
     */
    public static Sides of(Limiter local, @Nullable Limiter store) {
        Sides process = inProcess(local);
        return store == null ? process : process.and(Side.STORE, store, DEFAULT_DEADLINE);
    }

    /**
     * Returns these sides and one more, which is asked after them. Other processes share its counts.
     *
     * @param name the name, which permits and reservations carry. All processes that share the counts use the same name
     * @param deadline the maximum time to renew or release permits, or to charge usage
     */
    public Sides and(String name, Limiter limiter, Duration deadline) {
        if (find(name).isPresent()) {
            throw new IllegalArgumentException("name: " + name + " (expected: a name that no other side has)");
        }
        List<Side> more = new ArrayList<>(all);
        more.add(new Side(all.size(), name, limiter, deadline, null));
        return new Sides(more);
    }

    /** Returns the same sides, to shed load: each rule's failure policy replaces the remote sides, for this reason. */
    public Sides shedding(String reason) {
        return new Sides(all.stream().map(side -> side.shedding(reason)).toList());
    }

    /** Returns the side that counts in this process. */
    public Side process() {
        return all.get(0);
    }

    /** Returns whether any counts are shared with other processes. */
    public boolean shared() {
        return all.size() > 1;
    }

    /** Returns the side that counts the limits of a rule. Without a store, this process counts all of them. */
    public Side of(Rule rule) {
        return shared() && rule.handling().mode() != Mode.LOCAL ? all.get(1) : process();
    }

    /** Returns the side with this name. */
    public Optional<Side> find(String name) {
        for (Side side : all) {
            if (side.name().equals(name)) {
                return Optional.of(side);
            }
        }
        return Optional.empty();
    }

    /** Returns the mode to report if no limit decides. */
    public String mode() {
        return (shared() ? Mode.DISTRIBUTED : Mode.LOCAL).word();
    }
}
