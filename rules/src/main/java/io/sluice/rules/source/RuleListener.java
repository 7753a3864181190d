package io.sluice.rules.source;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/**
 * Is told when the rules in force change, and when a change was refused: one call at a time, in the order in which things
 * happened. Must be quick and must not throw.
 */
public interface RuleListener {

    /** A set is in force: the one that a source has when it is first listened to, and each that follows. */
    void changed(RuleSet rules);

    /** A new set was refused; the last good one stays in force. Told once for each bad set. */
    void refused(List<DocumentError> errors);
}
