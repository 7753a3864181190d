package io.sluice.replay.run;

import io.sluice.replay.log.LoggedRequest;
import io.sluice.rules.evaluate.Ruling;

/** Sees every ruling of a replay that limits or rules settled, in the order of the requests. */
@FunctionalInterface
public interface RulingObserver {

    /** Sees nothing. */
    RulingObserver NONE = (request, ruling) -> {};

    /** A request that has early rules is seen twice: once for those, once for the others. */
    void settled(LoggedRequest request, Ruling.Settled ruling);
}
