package io.sluice.replay.run;

/**
 * How many callers the tallies of one rule set may remember together.
 *
 * @param callers to count them, 16 to 32 bytes each
 * @param frequent to find the most frequent ones, each with one of its requests, about a kilobyte
 */
record TallyRoom(CallerSet.Room callers, FrequentCallers.CallerRoom frequent) {

    static TallyRoom usual() {
        return new TallyRoom(new CallerSet.Room(4_000_000), new FrequentCallers.CallerRoom(50_000));
    }
}
