package io.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.spi.SettlementResult;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.RateLimited;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Methods whose cost is known afterwards: the result settles what the call has reserved, whatever kind of result it is. */
@ExtendWith(OutputCaptureExtension.class)
final class SettledCallsTest {

    private static final String RULES = """
            rules:
              - id: tokens
                limits: [{ id: all, algorithm: fixed_window, limit: 1000, window: 1h }]
              - id: requests
                limits: [{ id: all, algorithm: fixed_window, limit: 2, window: 1h }]
              - id: mixed
                limits:
                  - { id: requests, algorithm: fixed_window, limit: 1000, window: 1h, cost: { reserve: 1 } }
                  - { id: tokens, algorithm: fixed_window, limit: 1000, window: 1h,
                      cost: { reserve: json.max_tokens, default: 50, settle: answer.json.usage } }
            """;

    private final Rig rig = new Rig();

    record Prompt(@Nullable Integer maxTokens) {}

    record Completion(@Nullable Usage usage) {

        static Completion of(int tokens) {
            return new Completion(new Usage(tokens));
        }
    }

    record Usage(long totalTokens) {}

    /** A piece of an answer without usage has another type. */
    record Piece(String text) {}

    static class Model {

        @RateLimited(rule = "tokens", permits = "#prompt.maxTokens", settle = "#result.usage.totalTokens")
        public @Nullable Completion complete(Prompt prompt, @Nullable Completion answer) {
            return answer;
        }

        @RateLimited(rule = "tokens", permits = "100", settle = "#result.usage.totalTokens")
        public Completion failing() {
            throw new IllegalStateException("no model");
        }

        @RateLimited(rule = "tokens", permits = "100", settle = "#result.usage.totalTokens")
        public Optional<Completion> optional(Completion answer) {
            return Optional.of(answer);
        }

        @RateLimited(rule = "tokens", permits = "100", settle = "#result")
        public Object figure(Object result) {
            return result;
        }

        @RateLimited(rule = "tokens", permits = "100", settle = "#result.usage.totalTokens + #extra")
        public CompletionStage<Completion> stage(CompletableFuture<Completion> answer, int extra) {
            return answer;
        }

        @RateLimited(rule = "tokens", permits = "100", settle = "#result.usage.totalTokens")
        public Mono<Completion> mono(Mono<Completion> answer) {
            return answer;
        }

        @RateLimited(rule = "tokens", permits = "100", settle = "#result.usage.totalTokens")
        public Flux<Object> flux(Flux<Object> answer) {
            return answer;
        }

        @RateLimited(rule = "tokens", permits = "100", settle = "#result.usage.totalTokens")
        public Flow.Publisher<Object> adapted(Flux<Object> answer) {
            return JdkFlowAdapter.publisherToFlowPublisher(answer);
        }

        @RateLimited(rule = "tokens", permits = "100", settle = "#result.usage.totalTokens")
        public Stream<Object> stream(Stream<Object> answer) {
            return answer;
        }

        @RateLimited(limit = "1", window = "1h", settle = "#result")
        public int inline(int cost) {
            return cost;
        }

        @RateLimited("requests")
        @RateLimited(rule = "tokens", permits = "100", settle = "#result")
        public int both(int cost) {
            return cost;
        }

        @RateLimited(rule = "mixed", permits = "7", settle = "#result")
        public int mixed(int cost) {
            return cost;
        }

        @RateLimited("mixed")
        public int withoutSettle() {
            return 1;
        }

        @RateLimited(rule = "tokens", permits = "100", maxWait = "1s", settle = "#result")
        public int patient(int cost) {
            return cost;
        }
    }

    private void on(Consumer<Model> test) {
        rig.inForce(RULES);
        rig.runner(Model.class).run(context -> test.accept(context.getBean(Model.class)));
    }

    private void assertSettled(long... figures) {
        assertThat(rig.settled).extracting(each -> each.actual()).containsExactly(box(figures));
        assertThat(rig.settled)
                .allSatisfy(each -> assertThat(each.result().kind()).isEqualTo(SettlementResult.Kind.SETTLED));
        assertThat(rig.standing).isEmpty();
    }

    private void assertStands(String reason) {
        assertThat(rig.standing).containsExactly(reason);
        assertThat(rig.settled).isEmpty();
    }

    private static Long[] box(long... figures) {
        return java.util.Arrays.stream(figures).boxed().toArray(Long[]::new);
    }

    @Test
    void whatWasNotUsedIsGivenBack() {
        on(model -> {
            for (int i = 0; i < 100; i++) {
                model.complete(new Prompt(1000 - 10 * i), Completion.of(10));
            }
            assertThatThrownBy(() -> model.complete(new Prompt(1), Completion.of(1)))
                    .isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void whatWasUsedBeyondTheReservationIsCharged() {
        on(model -> {
            model.complete(new Prompt(10), Completion.of(995));
            assertThatThrownBy(() -> model.complete(new Prompt(6), Completion.of(1)))
                    .isInstanceOf(RateLimitExceededException.class);
            model.complete(new Prompt(5), Completion.of(5));
        });
    }

    @Test
    void nothingReservedNeedsOnePermitThatIsLeft() {
        on(model -> {
            model.complete(new Prompt(0), Completion.of(400));
            model.complete(new Prompt(null), Completion.of(600));
            assertSettled(400, 600);
            assertThatThrownBy(() -> model.complete(new Prompt(0), Completion.of(0)))
                    .isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void aReservationStandsWithoutAFigureAndTheLogSaysSoOnce(CapturedOutput output) {
        on(model -> {
            model.complete(new Prompt(400), new Completion(null));
            model.complete(new Prompt(400), null);
            assertThat(rig.standing).containsExactly("no-figure", "no-figure");
            assertThatThrownBy(() -> model.complete(new Prompt(201), Completion.of(1)))
                    .isInstanceOf(RateLimitExceededException.class);
        });
        assertThat(output.toString())
                .containsOnlyOnce("Model.complete(Prompt, Completion): settle: #result.usage.totalTokens gave null"
                        + " (expected: a whole number of 0 or more); what calls reserved stands");
    }

    @Test
    void onlyWholeNumbersOfZeroOrMoreAreFigures() {
        on(model -> {
            assertThat(model.figure("secret")).isEqualTo("secret");
            assertThat(model.figure(-1)).isEqualTo(-1);
            assertThat(model.figure(1.5)).isEqualTo(1.5);
            assertThat(model.figure(Double.NaN)).isEqualTo(Double.NaN);
            assertThat(model.figure(Double.POSITIVE_INFINITY)).isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(rig.standing).hasSize(5).containsOnly("no-figure");
            assertThat(model.figure(2.0)).isEqualTo(2.0);
            assertThat(model.figure(0)).isEqualTo(0);
            assertThat(rig.settled).extracting(each -> each.actual()).containsExactly(2L, 0L);
        });
    }

    static List<Number> tooLarge() {
        return List.of(1_000_000_001, 1e300, new BigInteger("18446744073709551621"), new BigDecimal("1e300"));
    }

    @ParameterizedTest
    @MethodSource("tooLarge")
    void aFigureThatIsTooLargeCountsAsTheMost(Number figure) {
        on(model -> assertThat(model.figure(figure)).isEqualTo(figure));
        assertThat(rig.settled).extracting(each -> each.actual()).containsExactly(1_000_000_000L);
    }

    @Test
    void valuesThatGiveNoFigureAreNotLogged(CapturedOutput output) {
        on(model -> model.figure("secret"));
        assertThat(output.toString())
                .contains("gave a java.lang.String (expected: ")
                .doesNotContain("secret");
    }

    @Test
    void aReservationStandsIfTheMethodThrows() {
        on(model -> {
            assertThatThrownBy(model::failing).hasMessage("no model");
            assertStands("aborted");
        });
    }

    @Test
    void anOptionalIsUnwrapped() {
        on(model -> {
            assertThat(model.optional(Completion.of(30))).isPresent();
            assertSettled(30);
        });
    }

    @Test
    void aStageSettlesWhenItCompletes() {
        on(model -> {
            CompletableFuture<Completion> answer = new CompletableFuture<>();
            CompletionStage<Completion> returned = model.stage(answer, 5);
            assertThat(rig.settled).isEmpty();
            answer.complete(Completion.of(30));
            assertThat(returned.toCompletableFuture()).isCompletedWithValue(Completion.of(30));
            assertSettled(35);
        });
    }

    @Test
    void aFailedOrCancelledStageStands() {
        on(model -> {
            assertThat(model.stage(CompletableFuture.failedFuture(new IllegalStateException("x")), 0)
                            .toCompletableFuture())
                    .isCompletedExceptionally();
            assertStands("aborted");
            model.stage(new CompletableFuture<>(), 0).toCompletableFuture().cancel(true);
            assertThat(rig.standing).containsExactly("aborted", "aborted");
        });
    }

    @Test
    void eachSubscriptionOfAMonoSettles() {
        on(model -> {
            Mono<Completion> mono = model.mono(Mono.just(Completion.of(40)));
            assertThat(rig.told).isEmpty();
            assertThat(mono.block()).isEqualTo(Completion.of(40));
            assertThat(mono.block()).isEqualTo(Completion.of(40));
            assertSettled(40, 40);
        });
    }

    @Test
    void anEmptyOrFailedMonoStands() {
        on(model -> {
            assertThat(model.mono(Mono.empty()).block()).isNull();
            assertStands("no-figure");
            assertThatThrownBy(() -> model.mono(Mono.error(new IllegalStateException("x")))
                            .block())
                    .hasMessage("x");
            assertThat(rig.standing).containsExactly("no-figure", "aborted");
        });
    }

    @Test
    void theLastFigureOfAFluxCountsAtItsEnd() {
        on(model -> {
            Sinks.Many<Object> answer = Sinks.many().unicast().onBackpressureBuffer();
            List<Object> received = new java.util.ArrayList<>();
            var unused = model.flux(answer.asFlux()).subscribe(received::add);
            List<Object> pieces = List.of(new Piece("a"), Completion.of(1), Completion.of(60), new Piece("end"));
            pieces.forEach(
                    piece -> assertThat(answer.tryEmitNext(piece).isSuccess()).isTrue());
            assertThat(received).isEqualTo(pieces);
            assertThat(rig.settled).isEmpty();
            answer.tryEmitComplete().orThrow();
            assertSettled(60);
        });
    }

    @Test
    void aCancelledOrFailedFluxSettlesByWhatWasSeen() {
        on(model -> {
            model.flux(Flux.just(Completion.of(10), Completion.of(20), Completion.of(30)))
                    .take(2)
                    .blockLast();
            assertThatThrownBy(() -> model.flux(Flux.concat(
                                    Flux.just(Completion.of(15)), Flux.error(new IllegalStateException("x"))))
                            .blockLast())
                    .hasMessage("x");
            assertSettled(20, 15);
        });
    }

    @Test
    void aCancelledFluxWithoutAFigureStands() {
        on(model -> {
            model.flux(Flux.just(new Piece("a"), Completion.of(20))).take(1).blockLast();
            assertStands("aborted");
        });
    }

    @Test
    void typesThatSpringAdaptsSettleLikePublishers() {
        on(model -> {
            Flow.Publisher<Object> adapted = model.adapted(Flux.just(new Piece("a"), Completion.of(25)));
            assertThat(JdkFlowAdapter.flowPublisherToFlux(adapted).collectList().block())
                    .hasSize(2);
            assertSettled(25);
        });
    }

    @Test
    void aStreamSettlesAtItsEndWithoutBeingClosed() {
        on(model -> {
            Stream<Object> stream = model.stream(Stream.of(new Piece("a"), Completion.of(25), new Piece("end")));
            assertThat(rig.settled).isEmpty();
            assertThat(stream.count()).isEqualTo(3);
            assertSettled(25);
            stream.close();
            assertSettled(25);
        });
    }

    @Test
    void aClosedStreamSettlesByTheElementsThatWereRead() {
        on(model -> {
            boolean[] closed = new boolean[1];
            Stream<Object> source =
                    Stream.<Object>of(Completion.of(5), Completion.of(25)).onClose(() -> closed[0] = true);
            try (Stream<Object> stream = model.stream(source)) {
                assertThat(stream.iterator().next()).isEqualTo(Completion.of(5));
                assertThat(rig.settled).isEmpty();
            }
            assertThat(closed[0]).isTrue();
            assertSettled(5);
        });
    }

    @Test
    void aStreamThatIsClosedUnreadStands() {
        on(model -> {
            model.stream(Stream.of(Completion.of(5))).close();
            assertStands("aborted");
        });
    }

    @Test
    void limitsWrittenInTheAnnotationSettle() {
        on(model -> {
            model.inline(0);
            model.inline(5);
            assertSettled(0, 5);
            assertThatThrownBy(() -> model.inline(1)).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void limitsOfOtherAnnotationsStayAsTheyAre() {
        on(model -> {
            model.both(500);
            model.both(0);
            assertSettled(500, 0);
            assertThatThrownBy(() -> model.both(0)).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void limitsWithACostOfTheirOwnReserveThatAndOnlyThoseThatSettleAreSettled() {
        on(model -> {
            model.mixed(300);
            assertSettled(300);
            assertThat(rig.settled.get(0).limit().id()).isEqualTo("mixed.tokens");
            assertThat(rig.settled.get(0).limit().reserved()).isEqualTo(50);
        });
    }

    @Test
    void aRuleThatReservesStandsIfTheAnnotationDoesNotSettle(CapturedOutput output) {
        on(model -> {
            model.withoutSettle();
            model.withoutSettle();
            assertThat(rig.standing).containsExactly("no-figure", "no-figure");
        });
        assertThat(output.toString()).containsOnlyOnce("Model.withoutSettle(): settle: none, but rule mixed reserves");
    }

    @Test
    void callsThatMayWaitSettle() {
        on(model -> {
            model.patient(10);
            assertSettled(10);
        });
    }
}
