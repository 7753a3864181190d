package io.sluice.runtime.center;

import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.fleet.LostCenterException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Rules from a center over HTTP, which sends each release as a server-sent event. Thread-safe.
 *
 * <p>If the connection breaks, or the center sends nothing for 15 s (it sends a sign of life every 5 s), a new connection is
 * opened after a random pause. While the center is lost, the current set stays in force. A version only increases, and a bad set
 * is refused as a whole. Further events carry a set that some callers try, the scope of that trial, and adjustments on top of both.
 * Other events are ignored.
 */
public final class CenterRuleSource implements RuleSource {

    private static final Duration SILENCE = Duration.ofSeconds(15);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(1_250);
    private static final String PART = "rules";

    /** The same share of the memory as for rules in Redis. */
    private static final int MEMORY_PARTS = 32;

    private static final int MOST_BYTES = 64 * 1024 * 1024;
    private static final int LONGEST_REFUSAL = 10_000;

    private final Center center;
    private final String nodeId;
    private final Clock clock;
    private final PublishedRules rules = new PublishedRules();
    private final CenterIntake intake;
    private final ExecutorService working;
    private final CompletableFuture<Void> reached = new CompletableFuture<>();
    private final CompletableFuture<Void> looked = new CompletableFuture<>();
    private volatile @Nullable String lost;
    private volatile boolean closed;

    /** The following fields are used only by the working thread. */
    private @Nullable Line line;

    private Duration pause = SHORTEST_PAUSE;

    private CenterRuleSource(Center center, String nodeId, Clock clock, Optional<RuleStamp> last, RuleVet vet) {
        this.center = center;
        this.nodeId = nodeId;
        this.clock = clock;
        this.intake = new CenterIntake(rules, center.origin(), last, vet, clock, this::work);
        this.working = Executors.newSingleThreadExecutor(task -> {
            Thread worker = new Thread(task, "sluice-rules-center");
            worker.setDaemon(true);
            return worker;
        });
    }

    /**
     * Connects in the background. As long as the center is lost or has released nothing, the source is empty.
     *
     * @param nodeId identifies this process to the center; must stay the same after a restart
     * @param last the last set before a restart, if known
     * @param vet checks every set
     */
    public static CenterRuleSource open(
            Center center, String nodeId, Clock clock, Optional<RuleStamp> last, RuleVet vet) {
        CenterRuleSource source = new CenterRuleSource(center, nodeId, clock, last, vet);
        source.work(source::connect);
        return source;
    }

    @Override
    public RuleSet latest() {
        return rules.latest();
    }

    @Override
    public CompletionStage<RuleSet> first() {
        return rules.first();
    }

    @Override
    public List<DocumentError> refused() {
        return rules.refused();
    }

    @Override
    public Optional<RefusedSet> refusedSet() {
        return rules.refusedSet();
    }

    @Override
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    @Override
    public Adjustments adjustments() {
        return intake.adjustments();
    }

    @Override
    public List<String> unfitAdjustments() {
        return intake.unfitAdjustments();
    }

    /**
     * Completes when the center has answered, or could not be reached. If it answered, wait for {@link #looked} next.
     */
    public CompletionStage<Void> reached() {
        return reached.minimalCompletionStage();
    }

    /** Completes after the first event, or when the first connection failed. */
    public CompletionStage<Void> looked() {
        return looked.minimalCompletionStage();
    }

    /** Returns why the center is lost; empty while it is not. */
    public Optional<String> lost() {
        return Optional.ofNullable(lost);
    }

    @Override
    public void close() {
        closed = true;
        rules.close();
        reached.complete(null);
        looked.complete(null);
        work(this::drop);
        working.shutdown();
    }

    private void work(Runnable task) {
        try {
            working.execute(task);
        } catch (RejectedExecutionException e) {
            // The source was closed in the meantime.
        }
    }

    private void connect() {
        if (closed) {
            return;
        }
        Line next = new Line();
        line = next;
        try {
            next.open();
        } catch (RuntimeException e) {
            lose(new LostCenterException(e.toString(), true));
        }
    }

    private void drop() {
        Line open = line;
        line = null;
        if (open != null) {
            open.close();
        }
    }

    private void back() {
        pause = SHORTEST_PAUSE;
        lost = null;
        center.log().back(PART);
    }

    private void lose(LostCenterException why) {
        if (closed) {
            return;
        }
        drop();
        long millis = pause.toMillis();
        long wait = millis + ThreadLocalRandom.current().nextLong(3 * millis);
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        clock.at(clock.nanoTime() + Duration.ofMillis(wait).toNanos(), () -> work(this::connect));
        lost = why.why();
        center.log().lost(PART, why);
        reached.complete(null);
        looked.complete(null);
    }

    /** One connection. Unless noted otherwise, its methods run on the working thread. */
    private final class Line {

        private @Nullable CompletableFuture<HttpResponse<String>> answer;
        private volatile long heardNanos;
        private volatile boolean heard;

        void open() {
            HttpRequest.Builder request = center.request(
                            "/api/nodes/rules?node=" + URLEncoder.encode(nodeId, StandardCharsets.UTF_8))
                    .timeout(SILENCE)
                    .header("Accept", "text/event-stream")
                    .GET();
            intake.current().ifPresent(id -> request.header("Last-Event-ID", id));
            CompletableFuture<HttpResponse<String>> sent = center.send(request.build(), this::body);
            answer = sent;
            CompletionStage<HttpResponse<String>> end = sent;
            end.whenComplete((response, failure) -> work(() -> ended(response, failure)));
        }

        /** Runs on a thread of the HTTP client. */
        private BodySubscriber<String> body(ResponseInfo head) {
            if (head.statusCode() != 200 || !isEvents(head)) {
                return new BoundedBody(LONGEST_REFUSAL);
            }
            reached.complete(null);
            work(this::begun);
            int most = (int) Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / MEMORY_PARTS);
            return new EventBody(most, CenterRuleSource.this::work, this::heard, this::take);
        }

        private boolean isEvents(ResponseInfo head) {
            return head.headers()
                    .firstValue("Content-Type")
                    .filter(type -> type.startsWith("text/event-stream"))
                    .isPresent();
        }

        private void begun() {
            if (isCurrent()) {
                heardNanos = clock.nanoTime();
                watch();
            }
        }

        /** Runs on a thread of the HTTP client. */
        private void heard() {
            heardNanos = clock.nanoTime();
            if (!heard) {
                heard = true;
                work(() -> {
                    if (isCurrent()) {
                        back();
                    }
                });
            }
        }

        private void watch() {
            clock.at(
                    heardNanos + SILENCE.toNanos(),
                    () -> work(() -> {
                        if (!isCurrent()) {
                            return;
                        }
                        if (clock.nanoTime() - heardNanos >= SILENCE.toNanos()) {
                            lose(new LostCenterException("it sent nothing for " + SILENCE.toSeconds() + " s", false));
                        } else {
                            watch();
                        }
                    }));
        }

        private void take(ServerEvent event) {
            if (!isCurrent()) {
                return;
            }
            try {
                if (event.name().equals("rules")) {
                    intake.take(event);
                    looked.complete(null);
                } else if (event.name().equals("trial")) {
                    intake.takeTrial(event);
                } else if (event.name().equals("state")) {
                    intake.takeState(event);
                } else if (event.name().equals("none")) {
                    intake.takeNothing();
                    looked.complete(null);
                }
            } catch (RuntimeException e) {
                lose(new LostCenterException("its rules cannot be read: " + e, true));
            }
        }

        private void ended(@Nullable HttpResponse<String> response, @Nullable Throwable failure) {
            if (!isCurrent()) {
                return;
            }
            if (failure != null) {
                lose(Center.failure(failure));
            } else if (response != null && response.statusCode() != 200) {
                lose(center.refusal(response.statusCode()));
            } else if (response != null && !response.body().isEmpty()) {
                lose(new LostCenterException(
                        "its answer is not a stream of events (expected: the URL of a center)", true));
            } else {
                lose(new LostCenterException("it ended the connection", false));
            }
        }

        private boolean isCurrent() {
            return line == this;
        }

        void close() {
            CompletableFuture<HttpResponse<String>> sent = answer;
            if (sent != null) {
                sent.cancel(true);
            }
        }
    }
}
