package io.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.RateLimited;
import io.sluice.spring.founding.LimitPoint;
import io.sluice.spring.founding.LimitType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.TaskDecorator;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Stages and publishers: decided without blocking a thread, limited until they end. */
final class LaterCallsTest {

    private final Rig rig = new Rig();

    private static final ThreadLocal<String> CARRIED = new ThreadLocal<>();

    static class Reports {

        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicReference<String> carried = new AtomicReference<>();

        public String carried() {
            return carried.get();
        }

        public int calls() {
            return calls.get();
        }

        @RateLimited(limit = "1", window = "1m")
        public CompletionStage<String> once() {
            return CompletableFuture.completedFuture("ran " + calls.incrementAndGet());
        }

        @RateLimited(limit = "0", window = "1m", fallback = "later")
        public CompletableFuture<String> withFallback(String name) {
            return new CompletableFuture<>();
        }

        CompletableFuture<String> later(String name) {
            return CompletableFuture.completedFuture("later " + name);
        }

        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "9s")
        public CompletableFuture<String> alone(CompletableFuture<String> work) {
            calls.incrementAndGet();
            return work;
        }

        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "9s", maxWait = "1h")
        public CompletableFuture<String> inTurn(CompletableFuture<String> work) {
            calls.incrementAndGet();
            return work;
        }

        @RateLimited(algorithm = "leaky_bucket", rate = "1/s", capacity = "5")
        public CompletableFuture<String> shaped() {
            return CompletableFuture.completedFuture("" + calls.incrementAndGet());
        }

        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "9s")
        public CompletableFuture<String> throwing() {
            throw new IllegalStateException("x");
        }

        @RateLimited(limit = "2", window = "1m", key = "#request.user")
        public Mono<String> mono() {
            return Mono.just("ran " + calls.incrementAndGet());
        }

        @RateLimited(limit = "0", window = "1m", fallback = "instead")
        public Flux<Integer> fluxWithFallback() {
            return Flux.just(1);
        }

        Flux<Integer> instead(RateLimitExceededException refusal) {
            return Flux.just(7, 8);
        }

        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "9s")
        public Flux<Integer> stream(Flux<Integer> source) {
            return source;
        }

        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "9s", maxWait = "1h")
        public Mono<Integer> monoInTurn(Mono<Integer> source) {
            return source;
        }

        @RateLimited(algorithm = "leaky_bucket", rate = "1/s", capacity = "5")
        public Mono<Integer> shapedMono() {
            return Mono.fromSupplier(calls::incrementAndGet);
        }

        @RateLimited(algorithm = "leaky_bucket", rate = "1/s", capacity = "5")
        public CompletableFuture<Thread> thread() {
            carried.set(CARRIED.get());
            return CompletableFuture.completedFuture(Thread.currentThread());
        }

        @RateLimited(algorithm = "leaky_bucket", rate = "1/s", capacity = "5")
        public Mono<Thread> monoThread() {
            return Mono.fromSupplier(Thread::currentThread);
        }

        /** A type that Spring adapts to a publisher. */
        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "9s")
        public java.util.concurrent.Flow.Publisher<Integer> adapted(Flux<Integer> source) {
            return JdkFlowAdapter.publisherToFlowPublisher(source);
        }

        @LimitPoint(limit = 1, limitType = LimitType.CUSTOMER)
        public Mono<Integer> point() {
            return Mono.just(1);
        }

        @LimitPoint(limit = 1)
        public CompletionStage<Integer> pointStage() {
            return CompletableFuture.completedFuture(1);
        }
    }

    private void with(Consumer<Reports> test) {
        rig.runner(Reports.class).run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context.getBean(Reports.class));
        });
    }

    private static void assertRefused(CompletionStage<?> stage) {
        assertThatThrownBy(() -> stage.toCompletableFuture().get(60, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void aRefusedStageFails() {
        with(reports -> {
            assertThat(reports.once().toCompletableFuture()).isCompletedWithValue("ran 1");
            assertRefused(reports.once());
            assertThat(reports.calls()).isEqualTo(1);
            assertThat(reports.withFallback("x").join()).isEqualTo("later x");
            assertThat(reports.pointStage().toCompletableFuture()).isCompletedWithValue(1);
            assertRefused(reports.pointStage());
        });
    }

    @Test
    void permitsAreHeldUntilTheStageEndsHoweverItEnds() {
        with(reports -> {
            for (Consumer<CompletableFuture<String>> end : java.util.List.<Consumer<CompletableFuture<String>>>of(
                    work -> work.complete("done"),
                    work -> work.completeExceptionally(new IllegalStateException("x")),
                    work -> work.cancel(false))) {
                CompletableFuture<String> work = new CompletableFuture<>();
                CompletableFuture<String> result = reports.alone(work);
                assertRefused(reports.alone(new CompletableFuture<>()));
                for (int i = 0; i < 5; i++) {
                    rig.clock.advance(Duration.ofSeconds(4));
                    assertRefused(reports.alone(new CompletableFuture<>()));
                }
                end.accept(work);
                assertThat(result).isDone();
            }
            CompletableFuture<String> work = new CompletableFuture<>();
            assertThat(reports.alone(work).cancel(false)).isTrue();
            assertThat(work).as("cancelled with its result").isCancelled();
            assertThat(reports.alone(CompletableFuture.completedFuture("x"))).isCompletedWithValue("x");
            assertThatThrownBy(() -> reports.throwing().join()).hasRootCauseMessage("x");
            assertThatThrownBy(() -> reports.throwing().join()).hasRootCauseMessage("x");
        });
    }

    @Test
    void otherReactiveTypesAreLimitedUntilTheyEndToo() {
        with(reports -> {
            Sinks.Many<Integer> source = Sinks.many().unicast().onBackpressureBuffer();
            List<Integer> received = new java.util.concurrent.CopyOnWriteArrayList<>();
            JdkFlowAdapter.flowPublisherToFlux(reports.adapted(source.asFlux())).subscribe(received::add);
            source.tryEmitNext(1);
            StepVerifier.create(JdkFlowAdapter.flowPublisherToFlux(reports.adapted(Flux.just(0))))
                    .verifyError(RateLimitExceededException.class);
            source.tryEmitNext(2);
            source.tryEmitComplete();
            assertThat(received).containsExactly(1, 2);
            StepVerifier.create(JdkFlowAdapter.flowPublisherToFlux(reports.adapted(Flux.just(3))))
                    .expectNext(3)
                    .verifyComplete();
        });
    }

    @Test
    void anUnreachableStageDoesNotHoldItsPermitsForever() {
        with(reports -> {
            assertThat(reports.alone(new CompletableFuture<>())).isNotDone();
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                System.gc();
                for (int i = 0; i < 5; i++) {
                    rig.clock.advance(Duration.ofSeconds(2));
                }
                assertThat(reports.alone(CompletableFuture.completedFuture("x")))
                        .isCompletedWithValue("x");
            });
        });
    }

    private static Executor named(String name) {
        return task -> new Thread(task, name).start();
    }

    @Test
    void stagesContinueOnTheExecutorOfTheApplicationOrOurs() {
        ApplicationContextRunner runner = rig.runner(Reports.class)
                .withBean("applicationTaskExecutor", Executor.class, () -> named("of the application"));
        for (String expected : List.of("of the application", "ours")) {
            ApplicationContextRunner one = expected.equals("ours")
                    ? runner.withBean("sluiceMethodExecutor", Executor.class, () -> named("ours"))
                    : runner;
            one.run(context -> {
                Reports reports = context.getBean(Reports.class);
                assertThat(reports.thread()).isCompleted();
                CompletableFuture<Thread> second = reports.thread();
                rig.clock.advance(Duration.ofSeconds(1));
                assertThat(second)
                        .succeedsWithin(Duration.ofMinutes(1))
                        .extracting(Thread::getName)
                        .isEqualTo(expected);
            });
            rig.clock.advance(Duration.ofMinutes(1));
        }
    }

    @Test
    void decoratorsCarryOverTheContextOfTheCallingThread() {
        TaskDecorator decorator = task -> {
            String value = CARRIED.get();
            return () -> {
                CARRIED.set(value);
                try {
                    task.run();
                } finally {
                    CARRIED.remove();
                }
            };
        };
        rig.runner(Reports.class)
                .withBean(TaskDecorator.class, () -> decorator)
                .withBean("sluiceMethodExecutor", Executor.class, () -> named("ours"))
                .run(context -> {
                    Reports reports = context.getBean(Reports.class);
                    assertThat(reports.thread()).isCompleted();
                    CARRIED.set("mine");
                    CompletableFuture<Thread> second = reports.thread();
                    CARRIED.remove();
                    rig.clock.advance(Duration.ofSeconds(1));
                    assertThat(second).succeedsWithin(Duration.ofMinutes(1));
                    assertThat(reports.carried()).isEqualTo("mine");
                });
    }

    @Test
    void anExecutorThatRejectsFailsTheStageAndNothingIsHeld() {
        Executor full = task -> {
            throw new RejectedExecutionException("full");
        };
        rig.runner(Reports.class)
                .withBean("sluiceMethodExecutor", Executor.class, () -> full)
                .run(context -> {
                    Reports reports = context.getBean(Reports.class);
                    CompletableFuture<String> first = new CompletableFuture<>();
                    assertThat(reports.inTurn(first)).isNotDone();
                    CompletableFuture<String> second = reports.inTurn(CompletableFuture.completedFuture("x"));
                    first.complete("done");
                    assertThat(second).isCompletedExceptionally();
                    assertThat(reports.inTurn(CompletableFuture.completedFuture("third")))
                            .isCompletedWithValue("third");
                });
    }

    @Test
    void publishersContinueOnTheEventLoopThatSubscribedOrOnParallelThreads() {
        DefaultEventExecutor loop = new DefaultEventExecutor();
        try {
            with(reports -> {
                AtomicReference<Thread> own = new AtomicReference<>();
                CompletableFuture<Thread> onLoop = new CompletableFuture<>();
                reports.monoThread().block();
                loop.execute(() -> {
                    reports.monoThread().subscribe(onLoop::complete);
                    own.set(Thread.currentThread());
                });
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> own.get() != null);
                rig.clock.advance(Duration.ofSeconds(1));
                assertThat(onLoop).succeedsWithin(Duration.ofMinutes(1)).isSameAs(own.get());
                CompletableFuture<Thread> elsewhere = reports.monoThread().toFuture();
                rig.clock.advance(Duration.ofSeconds(1));
                assertThat(elsewhere)
                        .succeedsWithin(Duration.ofMinutes(1))
                        .extracting(Thread::getName)
                        .asString()
                        .startsWith("parallel-");
            });
        } finally {
            assertThat(loop.shutdownGracefully(0, 0, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void stagesWaitInTurnWithoutAThread() {
        with(reports -> {
            CompletableFuture<String> first = new CompletableFuture<>();
            CompletableFuture<String> holding = reports.inTurn(first);
            CompletableFuture<String> left = reports.inTurn(CompletableFuture.completedFuture("left"));
            CompletableFuture<String> second = reports.inTurn(CompletableFuture.completedFuture("second"));
            assertThat(reports.calls()).isEqualTo(1);
            assertThat(left.cancel(false)).isTrue();
            first.complete("first");
            assertThat(holding).isCompletedWithValue("first");
            assertThat(second).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("second");
            assertThat(reports.calls()).as("who left was never called").isEqualTo(2);
        });
    }

    @Test
    void shapedStagesAndPublishersWaitForTheirSlot() {
        with(reports -> {
            assertThat(reports.shaped()).isCompletedWithValue("1");
            CompletableFuture<String> second = reports.shaped();
            assertThat(second).isNotDone();
            rig.clock.advance(Duration.ofSeconds(1));
            assertThat(second).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("2");
            assertThat(reports.shapedMono().block()).isEqualTo(3);
            CompletableFuture<Integer> fourth = reports.shapedMono().toFuture();
            assertThat(fourth).isNotDone();
            fourth.cancel(true);
            CompletableFuture<Integer> fifth = reports.shapedMono().toFuture();
            rig.clock.advance(Duration.ofSeconds(2));
            assertThat(fifth).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(4);
        });
    }

    @Test
    void publishersAreDecidedAndCalledForEachSubscription() {
        with(reports -> {
            Mono<String> mono = reports.mono();
            assertThat(rig.told).isEmpty();
            assertThat(reports.calls()).isZero();
            StepVerifier.create(mono).expectNext("ran 1").verifyComplete();
            StepVerifier.create(mono).expectNext("ran 2").verifyComplete();
            StepVerifier.create(mono).verifyError(RateLimitExceededException.class);
            CurrentRequest alice = Rig.request(Map.of("user", "alice")).orElseThrow();
            StepVerifier.create(mono.contextWrite(context -> context.put(CurrentRequest.class, alice)))
                    .expectNext("ran 3")
                    .verifyComplete();
            StepVerifier.create(reports.fluxWithFallback()).expectNext(7, 8).verifyComplete();
            StepVerifier.create(reports.point()).expectNext(1).verifyComplete();
            StepVerifier.create(reports.point()).verifyError(RateLimitExceededException.class);
        });
    }

    @Test
    void permitsAreHeldUntilThePublisherEndsHoweverItEnds() {
        with(reports -> {
            Flux<Integer> free = reports.stream(Flux.just(1));
            for (Consumer<Sinks.Many<Integer>> end : java.util.List.<Consumer<Sinks.Many<Integer>>>of(
                    Sinks.Many::tryEmitComplete, sink -> sink.tryEmitError(new IllegalStateException("x")))) {
                Sinks.Many<Integer> sink = Sinks.many().multicast().onBackpressureBuffer();
                Disposable running = reports.stream(sink.asFlux()).subscribe(item -> {}, failure -> {});
                sink.tryEmitNext(1);
                for (int i = 0; i < 5; i++) {
                    rig.clock.advance(Duration.ofSeconds(4));
                    StepVerifier.create(free).verifyError(RateLimitExceededException.class);
                }
                end.accept(sink);
                assertThat(running.isDisposed()).isTrue();
                StepVerifier.create(free).expectNext(1).verifyComplete();
            }
            Disposable running = reports.stream(Flux.never()).subscribe();
            StepVerifier.create(free).verifyError(RateLimitExceededException.class);
            running.dispose();
            StepVerifier.create(free).expectNext(1).verifyComplete();
            StepVerifier.create(reports.stream(Flux.error(new IllegalStateException("x"))))
                    .verifyErrorMessage("x");
            StepVerifier.create(free).expectNext(1).verifyComplete();
        });
    }

    @Test
    void publishersWaitInTurnAndACancelledOneHoldsNothing() {
        with(reports -> {
            Sinks.One<Integer> first = Sinks.one();
            reports.monoInTurn(first.asMono()).subscribe();
            Disposable left = reports.monoInTurn(Mono.never()).subscribe();
            CompletableFuture<Integer> second = reports.monoInTurn(Mono.just(2)).toFuture();
            assertThat(second).isNotDone();
            left.dispose();
            first.tryEmitValue(1);
            assertThat(second).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(2);
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(
                            reports.monoInTurn(Mono.just(3)).toFuture())
                    .isDone());
        });
    }
}
