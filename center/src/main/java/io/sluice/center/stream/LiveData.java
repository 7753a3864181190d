package io.sluice.center.stream;

import io.sluice.center.data.StoredBatch;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.core.time.Clock;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DecisionEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Turns the data of nodes into events. Nodes that report never wait for listeners. Thread-safe. */
public final class LiveData {

    /** The maximum number of published refusals between two turns. */
    private static final int MOST_REFUSALS = 2_000;

    private static final long NODES_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Stream stream;
    private final Clock clock;
    private final LiveCounts counts = new LiveCounts();
    private final NodeNews news;
    private long nodesNanos;

    // Guarded by itself.
    private final Deque<Refusal> refusals = new ArrayDeque<>();

    private record Refusal(DecisionEntry entry, String node) {}

    public LiveData(Stream stream, LiveNodes nodes, Clock clock) {
        this.stream = stream;
        this.clock = clock;
        this.news = new NodeNews(stream, nodes);
        this.nodesNanos = clock.nanoTime() - NODES_NANOS;
    }

    /**
     * Takes a batch that arrived.
     *
     * @throws IllegalArgumentException if the batch cannot be read
     */
    public void take(StoredBatch batch) {
        if (batch.kind() == Kind.COUNTS) {
            counts.take(batch, nowMillis(), stream.heardSince(StreamTopic.COUNTS));
        } else if (batch.kind() == Kind.DECISIONS && stream.isHeard(StreamTopic.DECISIONS)) {
            List<DecisionEntry> refused = DecisionEntry.list(batch.content()).stream()
                    .filter(entry -> !entry.outcome().passed())
                    .toList();
            synchronized (refusals) {
                for (DecisionEntry entry : refused) {
                    if (refusals.size() < MOST_REFUSALS) {
                        refusals.add(new Refusal(entry.shifted(batch.shiftMillis()), batch.node()));
                    }
                }
            }
        }
    }

    /** Publishes the events that are due. Called several times a second, by one thread. */
    public void turn() {
        long now = nowMillis();
        counts.due(now, stream::sees).forEach(stream::publish);
        List<Refusal> due;
        synchronized (refusals) {
            due = new ArrayList<>(refusals);
            refusals.clear();
        }
        due.forEach(each ->
                stream.publish(new RefusalEvent(each.entry(), each.node(), Math.floorDiv(now, 1_000L), stream::sees)));
        if (clock.nanoTime() - nodesNanos >= NODES_NANOS) {
            nodesNanos = clock.nanoTime();
            news.turn();
        }
        stream.turn();
    }

    private long nowMillis() {
        return clock.epochMicros() / 1_000;
    }
}
