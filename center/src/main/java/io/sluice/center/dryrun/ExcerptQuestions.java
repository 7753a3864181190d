package io.sluice.center.dryrun;

import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.core.time.Clock;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.recording.ExcerptQuestion;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks all live nodes that record for their recent requests. Each node receives the question with the answer to its report, and sends an
 * excerpt of its recording. One question is open at a time, and its answers stay in memory until it ends. Only nodes that report over HTTP
 * are asked. Thread-safe.
 */
public final class ExcerptQuestions {

    /** The maximum size of all excerpts together, as they are sent. The nodes share it equally. */
    public static final int MOST_BYTES = 32 << 20;

    /** The maximum number of nodes that are asked. Reading an excerpt takes about half a megabyte. */
    static final int MOST_NODES = 128;

    /** The time in which nodes have to answer. They receive the question within a second. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** The bound of ids, below which numbers in JSON are exact. */
    private static final long IDS = 1L << 52;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final LiveNodes nodes;
    private final Clock clock;

    /** The open question; guarded by this. */
    private @Nullable Open open;

    /** A question, the nodes that it was sent to, and their answers. */
    private static final class Open {

        private final ExcerptQuestion question;
        private final long beganNanos;
        private final Map<String, NodeState> asked = new LinkedHashMap<>();
        private final Map<String, byte[]> answers = new LinkedHashMap<>();
        private final List<String> notAsked;
        private final int others;
        private final CompletableFuture<Answers> end = new CompletableFuture<>();

        Open(ExcerptQuestion question, long beganNanos, List<NodeState> recording, int others) {
            this.question = question;
            this.beganNanos = beganNanos;
            recording.stream()
                    .limit(MOST_NODES)
                    .forEach(node -> asked.put(node.report().node(), node));
            this.notAsked = recording.stream()
                    .skip(MOST_NODES)
                    .map(node -> node.report().identity().name())
                    .toList();
            this.others = others;
        }

        Answers answers() {
            List<Answer> given = new ArrayList<>();
            List<String> missing = new ArrayList<>(notAsked);
            asked.forEach((id, node) -> {
                byte[] content = answers.get(id);
                if (content == null) {
                    missing.add(node.report().identity().name());
                } else {
                    given.add(new Answer(node.report().identity().name(), content));
                }
            });
            return new Answers(given, missing, others);
        }
    }

    /**
     * The excerpt of a node, as it was sent.
     *
     * @param node the name of the node that people see
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared, passed on once
    record Answer(String node, byte[] excerpt) {

        @Override
        public String toString() {
            return "Answer(" + node + ", " + excerpt.length + " bytes)";
        }
    }

    /**
     * All answers to a question. Immutable.
     *
     * @param missing the nodes that record and did not answer in time, or were too many to ask
     * @param others the number of live nodes and applications that record nothing
     */
    record Answers(List<Answer> given, List<String> missing, int others) {

        Answers {
            given = List.copyOf(given);
            missing = List.copyOf(missing);
        }
    }

    public ExcerptQuestions(LiveNodes nodes, Clock clock) {
        this.nodes = nodes;
        this.clock = clock;
    }

    /** Opens a question. The future completes with all answers; empty if another question is open. */
    Optional<CompletableFuture<Answers>> ask(long sinceMicros) {
        List<NodeState> live = nodes.live();
        List<NodeState> recording = live.stream()
                .filter(node -> node.way() == NodeState.Way.HTTP
                        && node.report().answers().records())
                .toList();
        int share =
                Math.min(ExcerptQuestion.MOST_BYTES, MOST_BYTES / Math.max(1, Math.min(MOST_NODES, recording.size())));
        Open asked;
        synchronized (this) {
            if (open != null) {
                return Optional.empty();
            }
            asked = new Open(
                    new ExcerptQuestion(RANDOM.nextLong(1, IDS), sinceMicros, share),
                    clock.nanoTime(),
                    recording,
                    live.size() - recording.size());
            open = asked;
        }
        // A question without recording nodes ends immediately.
        turn();
        return Optional.of(asked.end);
    }

    /** Returns the open question if a node has not answered it. */
    public synchronized List<ExcerptQuestion> heard(NodeReport report) {
        Open asked = open;
        return asked != null && asked.asked.containsKey(report.node()) && !asked.answers.containsKey(report.node())
                ? List.of(asked.question)
                : List.of();
    }

    /** Takes an excerpt of a node. Returns whether the excerpt was asked for. */
    public boolean answered(String node, long question, byte[] excerpt) {
        synchronized (this) {
            Open asked = open;
            if (asked == null
                    || asked.question.id() != question
                    || !asked.asked.containsKey(node)
                    || excerpt.length > asked.question.mostBytes()) {
                return false;
            }
            byte[] unused = asked.answers.putIfAbsent(node, excerpt);
        }
        turn();
        return true;
    }

    /** Ends the question if each node has answered or is gone, or the time is up. Called about once a second. */
    public void turn() {
        synchronized (this) {
            if (open == null) {
                return;
            }
        }
        List<String> live =
                nodes.live().stream().map(node -> node.report().node()).toList();
        Open ended;
        synchronized (this) {
            ended = open;
            if (ended == null || !isOver(ended, live)) {
                return;
            }
            open = null;
        }
        ended.end.complete(ended.answers());
    }

    private boolean isOver(Open asked, List<String> live) {
        return clock.nanoTime() - asked.beganNanos >= PATIENCE_NANOS
                || asked.asked.keySet().stream()
                        .allMatch(node -> asked.answers.containsKey(node) || !live.contains(node));
    }
}
