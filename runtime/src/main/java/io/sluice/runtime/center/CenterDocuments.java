package io.sluice.runtime.center;

import io.sluice.core.time.Clock;
import io.sluice.rules.source.DocumentReading;
import io.sluice.rules.source.DocumentSource;
import io.sluice.rules.source.SourceWords;
import io.sluice.runtime.fleet.LostCenterException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Rules of a center over HTTP, which sends each release as a server-sent event.
 *
 * <p>If the connection breaks, or the center sends nothing for 15 s (it sends a sign of life every 5 s), a new connection is
 * opened after a random pause. A version only increases. Further events carry a set that some callers try, who they are, and adjustments
 * on top of both. Other events are ignored.
 *
 * <p>What happens on threads of the HTTP client becomes a task, and a reading does the tasks. So all but a few methods run on the reading
 * thread.
 */
public final class CenterDocuments implements DocumentSource {

    private static final Duration SILENCE = Duration.ofSeconds(15);
    private static final Duration PRECAUTION = Duration.ofMinutes(1);
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
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Queue<DocumentReading> readings = new ArrayDeque<>();
    private volatile @Nullable Watcher watcher;
    private volatile boolean closed;

    /** The following fields are used only by the reading thread. */
    private @Nullable CenterIntake intake;

    private @Nullable Line line;
    private Optional<DocumentReading> lost = Optional.empty();
    private Duration pause = SHORTEST_PAUSE;

    /**
     * Prepares a source without connecting.
     *
     * @param nodeId tells the center who reads; must stay the same after a restart
     */
    public CenterDocuments(Center center, String nodeId, Clock clock) {
        this.center = center;
        this.nodeId = nodeId;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "the center";
    }

    /** The log of the center reports when it is lost and back, once for everything that needs it. */
    @Override
    public SourceWords words() {
        return new SourceWords(
                "rules read from the center",
                "",
                "rules from the center refused",
                "no rules of it are in force yet",
                "",
                "",
                "the center is lost",
                "rules of the center were refused",
                "the center is lost",
                "the center has released no rules",
                "Release rules");
    }

    /** Everything is announced, so this is only a precaution. */
    @Override
    public Duration every() {
        return PRECAUTION;
    }

    @Override
    public boolean takesReleases() {
        return true;
    }

    @Override
    public void watch(Watcher watching) {
        watcher = watching;
    }

    @Override
    public DocumentReading read(Known known) {
        if (intake == null) {
            intake = new CenterIntake(center.origin(), known.last(), known.vet());
            connect();
        }
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        DocumentReading next = readings.poll();
        boolean isBackAlready = next instanceof DocumentReading.Unreachable && lost.isEmpty();
        if (!readings.isEmpty() || isBackAlready) {
            announce();
        }
        return next != null ? next : lost.orElseGet(DocumentReading.Unchanged::new);
    }

    @Override
    public void close() {
        closed = true;
        drop();
    }

    private void work(Runnable task) {
        tasks.add(task);
        announce();
    }

    private void announce() {
        Watcher watching = watcher;
        if (watching != null) {
            watching.changed(Duration.ZERO);
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

    private CenterIntake intake() {
        return Objects.requireNonNull(intake);
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
        lost = Optional.empty();
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
        DocumentReading gone = new DocumentReading.Unreachable(why.why(), why.answered(), false);
        lost = Optional.of(gone);
        readings.add(gone);
        center.log().lost(PART, why);
    }

    /** One connection. Unless noted otherwise, its methods run on the reading thread. */
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
            intake().current().ifPresent(id -> request.header("Last-Event-ID", id));
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
            Watcher watching = watcher;
            if (watching != null) {
                watching.reached();
            }
            work(this::begun);
            int most = (int) Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / MEMORY_PARTS);
            return new EventBody(most, CenterDocuments.this::work, this::heard, this::take);
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
                switch (event.name()) {
                    case "rules" -> readings.add(intake().take(event));
                    case "trial" -> readings.add(intake().takeTrial(event));
                    case "state" -> readings.add(intake().takeState(event));
                    case "none" -> readings.add(intake().takeNothing());
                    default -> {
                        // Of a newer center.
                    }
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
