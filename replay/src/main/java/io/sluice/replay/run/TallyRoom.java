package io.sluice.replay.run;

/**
 * The number of callers that the tallies of one rule set may hold together.
 *
 * @param callers the room for counting callers, 16 to 32 bytes each
 * @param frequent the room for the most frequent callers, each with one of its requests, about a kilobyte each
 */
record TallyRoom(CallerSet.Room callers, FrequentCallers.CallerRoom frequent) {

    static TallyRoom usual() {
        return new TallyRoom(new CallerSet.Room(4_000_000), new FrequentCallers.CallerRoom(50_000));
    }
}
