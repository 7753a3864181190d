package io.sluice.runtime.participant;

import io.sluice.core.DecisionListener;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.local.LocalEngine;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.erasure.ErasableStore;
import io.sluice.runtime.recording.ExcerptSource;
import java.util.function.Supplier;

/** A recording of every decision of a participant. It outlives the participant, because closing the engines still changes counts. */
public interface Recording extends ErasableStore, ExcerptSource {

    /** Returns the listener that records the steps of a shared store. */
    HistoryListener history();

    /** Returns the listener that records the decisions of a limiter that counts in this process. */
    DecisionListener decisions();

    /** Returns the listener that records permits given back and settlements of an engine in this process. */
    LocalEngine.ReturnListener returns();

    /**
     * Returns the listener that records requests.
     *
     * @param rules the rules in force
     */
    RulingListener requests(Supplier<RuleSet> rules);
}
