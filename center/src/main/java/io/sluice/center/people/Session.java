package io.sluice.center.people;

import java.util.List;

/**
 * A signed-in person.
 *
 * @param account as it is now
 * @param factors what was presented, and when
 */
public record Session(Account account, List<Factor> factors) {

    public Session {
        factors = List.copyOf(factors);
    }
}
