package io.sluice.center.people;

import java.util.List;

/**
 * A session of a signed-in person.
 *
 * @param account the account in its current state
 * @param factors the factors that the person presented, each with its time
 */
public record Session(Account account, List<Factor> factors) {

    public Session {
        factors = List.copyOf(factors);
    }
}
