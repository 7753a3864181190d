package io.sluice.center.personal;

import java.util.Set;

/**
 * The age at which rows are old.
 *
 * @param now milliseconds since the epoch
 * @param waitingAuthors the authors of rows that wait for a decision
 */
public record Age(long now, RetentionSettings settings, Set<String> waitingAuthors) {

    /** Returns the time before which rows of a kind are old, in milliseconds since the epoch. */
    public long before(String kind) {
        return now - settings.of(kind).toMillis();
    }
}
