package io.sluice.center.callers;

import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.core.time.Clock;
import io.sluice.rules.json.JsonLine;
import io.sluice.runtime.caller.CallerAnswer;
import io.sluice.runtime.caller.CallerQuestion;
import io.sluice.runtime.fleet.NodeReport;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Questions about callers and requests that wait for an answer. Each live node receives them in the reply to its report, and
 * answers in its next report. The first answer of a node that knows one is taken. Only nodes that report over HTTP are asked.
 * Thread-safe.
 */
public final class Questions {

    /** The maximum number of open questions about callers. */
    static final int MOST = 8;

    /** The maximum number of open questions about requests. They are counted separately, so that neither kind blocks the other. */
    public static final int MOST_REQUESTS = 4;

    /**
     * The maximum length of the attributes of a request in characters, as sent, including everything that JSON escapes. A node
     * receives all open questions in one message, so this also bounds their sum.
     */
    public static final int LONGEST_REQUEST = 8_000;

    /** The time that nodes have for an answer. They report every second. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int LONGEST_ANSWER = 200_000;

    /** The bound of ids. Numbers in JSON are exact up to this value. */
    private static final long IDS = 1L << 52;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final LiveNodes nodes;
    private final Clock clock;
    private final Map<Long, Open> open = new LinkedHashMap<>();

    /**
     * A waiting question.
     *
     * @param strangers the nodes that do not know the caller
     */
    private record Open(
            CallerQuestion question, long sinceNanos, Set<String> strangers, CompletableFuture<Optional<Told>> answer) {

        boolean isRequest() {
            return question.kind() == CallerQuestion.Kind.REQUEST;
        }

        /** Returns whether a node has not answered yet and may know an answer. */
        boolean isFor(NodeReport report) {
            return !strangers.contains(report.node())
                    && (!isRequest() || report.answers().explains());
        }
    }

    /**
     * The answer of a node.
     *
     * @param content the answer as JSON
     */
    public record Told(String node, String content) {

        @Override
        public String toString() {
            // The content may reveal the identity of a caller.
            return "Told(" + node + ")";
        }
    }

    public Questions(LiveNodes nodes, Clock clock) {
        this.nodes = nodes;
        this.clock = clock;
    }

    /**
     * Asks all live nodes about a caller.
     *
     * @return the answer of a node; empty if no node knows the caller or none answers in time. The outer optional is empty if too
     *     many questions are waiting already
     */
    Optional<CompletableFuture<Optional<String>>> ask(String hash, CallerQuestion.Kind kind) {
        return ask(id -> new CallerQuestion(id, hash, kind))
                .map(asked -> asked.thenApply(told -> told.map(Told::content)));
    }

    /**
     * Asks all live nodes which rules match a request and how much of their limits remains. The attributes are neither stored nor
     * logged. Only nodes that report the ability to explain requests are asked and waited for.
     *
     * @param request attributes that are {@linkplain #isShort short} enough
     * @return the answer of a node in the form of {@code POST /v1/explain}; empty if none answers in time. The outer optional is
     *     empty if too many questions are waiting already
     */
    public Optional<CompletableFuture<Optional<Told>>> ask(Map<String, String> request) {
        if (!isShort(request)) {
            throw new IllegalArgumentException(
                    "request: too long (expected: at most " + LONGEST_REQUEST + " characters as JSON)");
        }
        return ask(id -> CallerQuestion.about(id, request));
    }

    /** Returns whether a request is short enough for a question. */
    public static boolean isShort(Map<String, String> request) {
        return JsonLine.of(request).length() <= LONGEST_REQUEST;
    }

    private Optional<CompletableFuture<Optional<Told>>> ask(LongFunction<CallerQuestion> question) {
        turn();
        Open asked;
        synchronized (this) {
            // Random instead of sequential, because a node may still answer a question that a center asked before its
            // restart.
            long id = RANDOM.nextLong(1, IDS);
            asked = new Open(question.apply(id), clock.nanoTime(), new HashSet<>(), new CompletableFuture<>());
            boolean isRequest = asked.isRequest();
            long before = open.values().stream()
                    .filter(each -> each.isRequest() == isRequest)
                    .count();
            if (before >= (isRequest ? MOST_REQUESTS : MOST)) {
                return Optional.empty();
            }
            open.put(id, asked);
        }
        // Ends the question immediately if there are no live nodes.
        turn();
        return Optional.of(asked.answer);
    }

    /** Takes the answers in a report. Returns the open questions for the node that sent it. */
    public List<CallerQuestion> heard(NodeReport report) {
        List<CallerQuestion> questions = new ArrayList<>();
        List<Runnable> done = new ArrayList<>();
        synchronized (this) {
            for (CallerAnswer answer : report.answers().callers()) {
                Open asked = open.get(answer.id());
                if (asked == null) {
                    continue;
                }
                Optional<String> content = answer.content().filter(text -> text.length() <= LONGEST_ANSWER);
                if (content.isPresent()) {
                    open.remove(answer.id());
                    done.add(() -> asked.answer.complete(content.map(text -> new Told(report.node(), text))));
                } else {
                    asked.strangers.add(report.node());
                }
            }
            for (Open each : open.values()) {
                if (each.isFor(report)) {
                    questions.add(each.question);
                }
            }
        }
        done.forEach(Runnable::run);
        turn();
        return questions;
    }

    /** Gives up questions that no node can answer or that have waited too long. Called about once a second. */
    public void turn() {
        List<Open> ended = new ArrayList<>();
        synchronized (this) {
            if (open.isEmpty()) {
                return;
            }
        }
        List<NodeReport> live = nodes.live().stream()
                .filter(node -> node.way() == NodeState.Way.HTTP)
                .map(NodeState::report)
                .toList();
        synchronized (this) {
            long now = clock.nanoTime();
            open.values().removeIf(each -> {
                boolean isOver =
                        now - each.sinceNanos >= PATIENCE_NANOS || live.stream().noneMatch(each::isFor);
                if (isOver) {
                    ended.add(each);
                }
                return isOver;
            });
        }
        ended.forEach(each -> each.answer.complete(Optional.empty()));
    }
}
