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
 * Questions about callers and requests that wait for an answer. Each live node gets them with the answer to its report, and answers
 * with its next report. The first node that knows an answer is believed. Only nodes that report over HTTP are asked. Thread-safe.
 */
public final class Questions {

    /** More questions about callers are not asked at the same time. */
    static final int MOST = 8;

    /** More questions about requests are not asked at the same time. They are counted apart, so that neither kind is in the way. */
    public static final int MOST_REQUESTS = 4;

    /**
     * The attributes of a request have at most this many characters as they are sent, with everything that JSON escapes. All open
     * questions go to a node in one message, so this bounds their sum too.
     */
    public static final int LONGEST_REQUEST = 8_000;

    /** Nodes have this long to answer. They report every second. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int LONGEST_ANSWER = 200_000;

    /** Numbers in JSON are exact up to here. */
    private static final long IDS = 1L << 52;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final LiveNodes nodes;
    private final Clock clock;
    private final Map<Long, Open> open = new LinkedHashMap<>();

    /**
     * A question that waits.
     *
     * @param strangers the nodes that do not know the caller
     */
    private record Open(
            CallerQuestion question, long sinceNanos, Set<String> strangers, CompletableFuture<Optional<Told>> answer) {

        boolean isRequest() {
            return question.kind() == CallerQuestion.Kind.REQUEST;
        }

        /** Returns whether a node has not answered and may know an answer. */
        boolean isFor(NodeReport report) {
            return !strangers.contains(report.node()) && (!isRequest() || report.explains());
        }
    }

    /**
     * The answer of a node.
     *
     * @param content JSON
     */
    public record Told(String node, String content) {

        @Override
        public String toString() {
            // The content may tell who a caller is.
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
     * @return the answer of a node; empty if no node knows the caller, or none answers in time. The whole is empty if too many questions
     *     wait already
     */
    Optional<CompletableFuture<Optional<String>>> ask(String hash, CallerQuestion.Kind kind) {
        return ask(id -> new CallerQuestion(id, hash, kind))
                .map(asked -> asked.thenApply(told -> told.map(Told::content)));
    }

    /**
     * Asks all live nodes which rules match a request, and what is left of their limits. The attributes are neither stored nor logged.
     * Only nodes that say that they explain requests are asked and waited for.
     *
     * @param request attributes that are {@linkplain #isShort short} enough
     * @return the answer of a node, as {@code POST /v1/explain} gives it; empty if none answers in time. The whole is empty if too many
     *     questions wait already
     */
    public Optional<CompletableFuture<Optional<Told>>> ask(Map<String, String> request) {
        if (!isShort(request)) {
            throw new IllegalArgumentException(
                    "request: too long (expected: at most " + LONGEST_REQUEST + " characters as JSON)");
        }
        return ask(id -> CallerQuestion.about(id, request));
    }

    /** Returns whether nodes can be asked about such a request. */
    public static boolean isShort(Map<String, String> request) {
        return JsonLine.of(request).length() <= LONGEST_REQUEST;
    }

    private Optional<CompletableFuture<Optional<Told>>> ask(LongFunction<CallerQuestion> question) {
        turn();
        Open asked;
        synchronized (this) {
            // Not in a row: a node may still answer a question that a center asked before it was restarted.
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
        // Without live nodes there is nobody to wait for.
        turn();
        return Optional.of(asked.answer);
    }

    /** Takes the answers in a report. Returns what to ask that node. */
    public List<CallerQuestion> heard(NodeReport report) {
        List<CallerQuestion> questions = new ArrayList<>();
        List<Runnable> done = new ArrayList<>();
        synchronized (this) {
            for (CallerAnswer answer : report.answers()) {
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

    /** Gives up questions that no node can answer, or that took too long. To be called about once a second. */
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
