package io.sluice.center.decisions;

import java.util.List;
import java.util.Optional;

/**
 * A page of found decisions.
 *
 * @param entries the decisions, newest first
 * @param next the position from which the search continues; empty if everything was searched
 * @param searchedUntil everything since this time was searched, in milliseconds since 1970
 * @param dropped the number of decisions of the searched period that were dropped for lack of room
 */
record DecisionPage(List<StoredDecision> entries, Optional<DecisionKey> next, long searchedUntil, long dropped) {

    DecisionPage {
        entries = List.copyOf(entries);
    }
}
