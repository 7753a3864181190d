package io.sluice.center.fleet;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the events that a node has received and selects the next one: rules and trial if they are new, followed by the state that combines
 * them. Used by one thread at a time.
 */
public final class RuleCursor {

    private final String node;
    private @Nullable String rules;
    private @Nullable String trial;
    private @Nullable String state;

    /**
     * Creates a cursor.
     *
     * @param node the id of the node; empty if it is unknown
     * @param lastId the id of the rules that the node has; empty if it has none
     */
    public RuleCursor(String node, String lastId) {
        this.node = node;
        this.rules = lastId.isEmpty() ? null : lastId;
    }

    /** Returns the next event to send; empty if the node has received everything. */
    public Optional<RuleEvent> next(RuleNews news) {
        RuleEvent own = news.rules(node);
        if (!own.id().equals(rules)) {
            rules = own.id();
            return Optional.of(own);
        }
        Optional<RuleEvent> tried = news.trial().filter(event -> !event.id().equals(trial));
        if (tried.isPresent()) {
            trial = tried.get().id();
            return tried;
        }
        RuleEvent put = news.state(node);
        if (own.id().isEmpty() || put.id().equals(state)) {
            return Optional.empty();
        }
        state = put.id();
        return Optional.of(put);
    }
}
