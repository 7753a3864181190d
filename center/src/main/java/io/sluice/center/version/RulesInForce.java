package io.sluice.center.version;

import io.sluice.center.database.Database;
import io.sluice.rules.snapshot.RuleSet;
import java.util.Optional;

/**
 * The rules in force: those that the center released last, or the rules that it shows in place of its own. Thread-safe.
 *
 * @param shown rules that the center shows in place of its own; if present, the center changes nothing
 */
public record RulesInForce(Database database, Versions versions, Optional<ForeignRules> shown) {

    /** Returns the rules in force. */
    public RuleSet rules() {
        return shown.map(foreign -> foreign.rules().get()).orElseGet(() -> database.read(versions::latestRules));
    }
}
