package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.RateLimited;
import io.sluice.spring.boot.method.MethodLimitAutoConfiguration;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Annotated handlers whose result Spring MVC waits for: their permits are held until it is there. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AsyncCallsTest {

    private final RunningApp app = new RunningApp.Starting(false, ServletApp.class, Annotated.class).rules("rules: []");
    private final Handlers handlers = app.bean(Handlers.class);

    @AfterAll
    void stop() {
        app.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(MethodLimitAutoConfiguration.class)
    @Import({Handlers.class, Tasks.class})
    static class Annotated {}

    /** Returns a task that nobody but the caller of the method knows. */
    @Service
    static class Tasks {

        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h")
        public Callable<String> task() {
            return () -> "task";
        }
    }

    @RestController
    static class Handlers {

        private final Map<String, CompletableFuture<String>> results = new ConcurrentHashMap<>();
        private final Map<String, String> completed = new ConcurrentHashMap<>();
        private final Tasks tasks;

        Handlers(Tasks tasks) {
            this.tasks = tasks;
        }

        public CompletableFuture<String> result(String name) {
            return results.computeIfAbsent(name, any -> new CompletableFuture<>());
        }

        public boolean isWaitedFor(String name) {
            return results.containsKey(name);
        }

        public boolean isCompleted(String name) {
            return completed.containsKey(name);
        }

        private String awaited(String name) throws Exception {
            return result(name).get(2, TimeUnit.MINUTES);
        }

        @GetMapping("/deferred/{name}")
        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h")
        public DeferredResult<String> deferred(@PathVariable String name) {
            DeferredResult<String> later = new DeferredResult<>(120_000L);
            later.onCompletion(() -> completed.put(name, "by the application's own callback"));
            var unused = result(name).whenComplete((value, failure) -> {
                if (failure == null) {
                    later.setResult(value);
                } else {
                    later.setErrorResult(failure);
                }
            });
            return later;
        }

        @GetMapping("/callable/{name}")
        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h")
        public Callable<String> callable(@PathVariable String name) {
            return () -> awaited(name);
        }

        @GetMapping("/task/{name}")
        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h")
        public WebAsyncTask<String> task(@PathVariable String name) {
            return new WebAsyncTask<>(120_000L, () -> awaited(name));
        }

        @GetMapping("/events/{name}")
        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h")
        public SseEmitter events(@PathVariable String name) {
            SseEmitter events = new SseEmitter(120_000L);
            var unused = result(name).whenComplete((value, failure) -> {
                if (failure == null) {
                    try {
                        events.send(value);
                    } catch (java.io.IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                    events.complete();
                } else {
                    events.completeWithError(failure);
                }
            });
            return events;
        }

        @GetMapping("/written/{name}")
        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h")
        public ResponseEntity<StreamingResponseBody> written(@PathVariable String name) {
            return ResponseEntity.ok(out -> {
                try {
                    out.write(awaited(name).getBytes(StandardCharsets.UTF_8));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }

        @GetMapping("/settled/deferred/{name}")
        @RateLimited(id = "cost", limit = "10", window = "1h", key = "#name", permits = "10", settle = "#result.length")
        public DeferredResult<String> settledDeferred(@PathVariable String name) {
            return deferred(name);
        }

        @GetMapping("/settled/callable/{name}")
        @RateLimited(id = "cost", limit = "10", window = "1h", key = "#name", permits = "10", settle = "#result.length")
        public Callable<String> settledCallable(@PathVariable String name) {
            return () -> awaited(name);
        }

        @GetMapping("/settled/task/{name}")
        @RateLimited(id = "cost", limit = "10", window = "1h", key = "#name", permits = "10", settle = "#result.length")
        public WebAsyncTask<String> settledTask(@PathVariable String name) {
            return new WebAsyncTask<>(120_000L, () -> awaited(name));
        }

        @GetMapping("/expiring")
        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h")
        public DeferredResult<String> expiring() {
            return new DeferredResult<>(1L);
        }

        @GetMapping("/dropped")
        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h")
        public DeferredResult<String> dropped() {
            return new DeferredResult<>();
        }

        /** Calls a limited method through the application context, and does not return its asynchronous result. */
        @GetMapping("/ignoring")
        public String ignoring() throws Exception {
            return tasks.task().call() + " " + tasks.task().call();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"deferred", "callable", "task", "events", "written"})
    void permitsAreHeldUntilTheResultIsThere(String kind) throws Exception {
        String name = kind + "-first";
        CompletableFuture<HttpResponse<String>> first = start("/" + kind + "/" + name);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> handlers.isWaitedFor(name));
        assertThat(app.get("/" + kind + "/second").statusCode()).isEqualTo(429);
        assertThat(first).isNotDone();
        handlers.result(name).complete("done");
        assertThat(first.get(1, TimeUnit.MINUTES).body()).contains("done");
        passesAgain(kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"deferred", "callable", "task", "events", "written"})
    void aResultThatFailsGivesItsPermitBack(String kind) throws Exception {
        String name = kind + "-failed";
        handlers.result(name).completeExceptionally(new IllegalStateException("boom"));
        try {
            assertThat(app.get("/" + kind + "/" + name).statusCode()).isEqualTo(500);
        } catch (java.io.IOException brokenOff) {
            assertThat(kind).as("its answer had begun").isIn("events", "written");
        }
        passesAgain(kind);
    }

    /** A call reserves all ten permits, so the next one passes only if the result of the one before has given everything back. */
    @ParameterizedTest
    @ValueSource(strings = {"deferred", "callable", "task"})
    void theResultSettlesWhatTheCallReserved(String kind) throws Exception {
        String target = "/settled/" + kind + "/" + kind + "-cost";
        handlers.result(kind + "-cost").complete("");
        assertThat(app.get(target).statusCode()).isEqualTo(200);
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> app.get(target).statusCode() == 200);
    }

    private void passesAgain(String kind) {
        handlers.result(kind + "-next").complete("next");
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> app.get("/" + kind + "/" + kind + "-next").body().contains("next"));
    }

    @Test
    void theCallbackOfTheApplicationIsNotReplaced() throws Exception {
        handlers.result("own").complete("own");
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> app.get("/deferred/own").body().equals("own"));
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> handlers.isCompleted("own"));
    }

    @Test
    void aResultThatTakesTooLongGivesItsPermitBack() throws Exception {
        for (int i = 0; i < 2; i++) {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> app.get("/expiring").statusCode() == 503);
        }
    }

    /** A task that does not belong to the request ends its call when the method returns. */
    @Test
    void aTaskThatSpringDoesNotRunHoldsNothing() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(app.get("/ignoring").body()).isEqualTo("task task");
        }
    }

    /** Outside a request there is nothing that could end later than the method. */
    @Test
    void withoutARequestTheCallEndsWhenTheMethodReturns() {
        for (int i = 0; i < 2; i++) {
            assertThat(handlers.dropped().hasResult()).isFalse();
        }
    }

    private CompletableFuture<HttpResponse<String>> start(String target) {
        return app.client().sendAsync(app.request(target).build(), HttpResponse.BodyHandlers.ofString());
    }
}
