package io.sluice.replay.run;

import io.sluice.replay.log.LoggedRequest;
import io.sluice.rules.evaluate.Ruling;

/** Receives every ruling of a replay that limits or rules decided, in the order of the requests. */
@FunctionalInterface
public interface RulingObserver {

    /** Ignores all rulings. */
    RulingObserver NONE = (request, ruling) -> {};

    /** Receives a ruling. A request with early rules has two rulings: one for the early rules, one for all others. */
    void settled(LoggedRequest request, Ruling.Settled ruling);
}
