package io.sluice.center.command;

import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * A mutation of the center's state, as the caller requested it. Each concept has its own commands. Immutable. {@link CommandLog} stores each
 * command with its actor and time.
 */
public interface Command {

    /** Returns the name of the command in the log, such as {@code open_change}. Stored rows contain the name, so it never changes. */
    String kind();

    /** Returns the reason for the command. It is empty only where the API does not ask for a reason. */
    String reason();

    /**
     * Returns the state that must not have changed for the command to act: the base version, the revision of a change, or the version in
     * force; 0 if the command acts on any state.
     */
    default long expected() {
        return 0;
    }

    /** Adds the other fields of the command to the body of its row in the log. Stored rows contain their names, so they never change. */
    default void write(ObjectNode body) {}

    /**
     * An action on accounts, tokens, approvals or settings. It never contains a secret.
     *
     * @param kind the name in the log, such as {@code create_account}
     * @param details numbers, texts, lists and maps
     */
    record Act(String kind, String reason, Map<String, ?> details) implements Command {

        @Override
        public void write(ObjectNode body) {
            details.forEach(body::putPOJO);
        }
    }
}
