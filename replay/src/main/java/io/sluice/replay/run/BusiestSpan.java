package io.sluice.replay.run;

/** Finds the second or minute with the most requests. Add requests in the order of time. Not thread-safe. */
final class BusiestSpan {

    private final long spanMicros;
    private long current = Long.MIN_VALUE;
    private long count;
    private long most;
    private long mostAt;

    BusiestSpan(long spanMicros) {
        this.spanMicros = spanMicros;
    }

    void add(long atMicros) {
        if (atMicros >= current + spanMicros || current == Long.MIN_VALUE) {
            current = Math.floorDiv(atMicros, spanMicros) * spanMicros;
            count = 0;
        }
        if (++count > most) {
            most = count;
            mostAt = current;
        }
    }

    Moment busiest() {
        return new Moment(most, mostAt);
    }
}
