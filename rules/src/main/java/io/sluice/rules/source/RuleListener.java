package io.sluice.rules.source;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/**
 * Notified when the rules in force change, and when a change is refused. Calls come one at a time, in the order of events. Must
 * be fast and must not throw.
 */
public interface RuleListener {

    /**
     * Called when a set comes into force: first with the set that the source has when the listener is added, then with each later set. Also
     * called when only the adjustments or the trial of the same release changed.
     */
    void changed(RuleSet rules);

    /** Called once for each new set that is refused. The last good set stays in force. */
    void refused(List<DocumentError> errors);
}
