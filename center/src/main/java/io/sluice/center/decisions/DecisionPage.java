package io.sluice.center.decisions;

import java.util.List;
import java.util.Optional;

/**
 * Decisions that were found.
 *
 * @param entries newest first
 * @param next where to go on; empty if everything was searched
 * @param searchedUntil everything from this time on was searched, in milliseconds since 1970
 * @param dropped decisions of the searched time that there was no room for
 */
record DecisionPage(List<StoredDecision> entries, Optional<DecisionKey> next, long searchedUntil, long dropped) {

    DecisionPage {
        entries = List.copyOf(entries);
    }
}
