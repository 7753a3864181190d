package io.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.RateLimited;
import io.sluice.spring.boot.method.InvalidLimitFailureAnalyzer;
import io.sluice.spring.founding.LimitPoint;
import io.sluice.spring.method.plan.InvalidLimitException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;

/** Errors in annotations are found at startup and reported with class, method and attribute. */
@ExtendWith(OutputCaptureExtension.class)
final class MistakesTest {

    private final Rig rig = new Rig();

    static class NoLimit {
        @RateLimited
        public void call() {}
    }

    static class BadRate {
        @RateLimited(rate = "fast")
        public void call() {}
    }

    static class BadLimit {
        @RateLimited(limit = "-1", window = "1m")
        public void call() {}
    }

    static class NoWindow {
        @RateLimited(limit = "1")
        public void call() {}
    }

    static class BadId {
        @RateLimited(id = "a b", rate = "1/s")
        public void call() {}
    }

    static class BadMode {
        @RateLimited(rate = "1/s", mode = "sometimes")
        public void call() {}
    }

    static class BadPolicy {
        @RateLimited(rate = "1/s", onFailure = "panic")
        public void call() {}
    }

    static class RuleAndRate {
        @RateLimited(rule = "sms", rate = "1/s")
        public void call() {}
    }

    static class UnknownRule {
        @RateLimited("smss")
        public void call() {}
    }

    static class UnknownVariable {
        @RateLimited(rate = "1/s", key = "#usr")
        public void call(String user) {}
    }

    static class BadSyntax {
        @RateLimited(rate = "1/s", key = "#user.")
        public void call(String user) {}
    }

    static class AType {
        @RateLimited(rate = "1/s", key = "T(java.lang.Runtime).runtime")
        public void call() {}
    }

    static class AConstructor {
        @RateLimited(rate = "1/s", condition = "new java.util.Date() != null")
        public void call() {}
    }

    static class ABean {
        @RateLimited(rate = "1/s", key = "@environment")
        public void call() {}
    }

    static class AMethod {
        @RateLimited(rate = "1/s", permits = "#user.length()")
        public void call(String user) {}
    }

    static class AnAssignment {
        @RateLimited(rate = "1/s", key = "#user = 'x'")
        public void call(String user) {}
    }

    static class TooManyPermits {
        @RateLimited(rate = "1/s", permits = "99999999999999999999")
        public void call() {}
    }

    static class SettlesNothing {
        @RateLimited(rule = "sms", settle = "#result.cost")
        public void call() {}
    }

    static class SettlesHeldPermits {
        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1s", settle = "#result")
        public int call() {
            return 1;
        }
    }

    static class SettlesByRequest {
        @RateLimited(rule = "sms", settle = "#request.ip")
        public int call() {
            return 1;
        }
    }

    static class ReservesByResult {
        @RateLimited(rule = "sms", permits = "#result")
        public int call() {
            return 1;
        }
    }

    @RateLimited("sms")
    static class SettlesTwice {
        @RateLimited(rule = "sms", settle = "#result")
        public int call() {
            return 1;
        }
    }

    static class NoFallback {
        @RateLimited(rate = "1/s", fallback = "other")
        public String call(String user) {
            return user;
        }

        public String other(int user) {
            return "";
        }
    }

    static class OtherFallback {
        @RateLimited(rate = "1/s", fallback = "other")
        public String call(String user) {
            return user;
        }

        public Integer other(String user) {
            return 1;
        }
    }

    static class BadWait {
        @RateLimited(rate = "1/s", maxWait = "soon")
        public void call() {}
    }

    static class NoSuchPlaceholder {
        @RateLimited(rate = "${nobody.knows}")
        public void call() {}
    }

    static class OddStage {
        @RateLimited(rate = "1/s")
        public Stage call() {
            return new Stage();
        }
    }

    static class Stage extends CompletableFuture<String> {}

    static class BadPeriod {
        @LimitPoint(period = 0)
        public void call() {}
    }

    static class NegativePoint {
        @LimitPoint(limit = -1)
        public void call() {}
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of(NoLimit.class, "rule: none (expected: the id of a rule, or a limit"),
                Arguments.of(BadRate.class, "rate: fast (expected: "),
                Arguments.of(BadLimit.class, "limit: -1 (expected: "),
                Arguments.of(NoWindow.class, "window"),
                Arguments.of(BadId.class, "id: a b (expected: "),
                Arguments.of(BadMode.class, "mode: sometimes (expected: "),
                Arguments.of(BadPolicy.class, "on_failure: panic (expected: "),
                Arguments.of(RuleAndRate.class, "rate: 1/s together with rule (expected: "),
                Arguments.of(UnknownVariable.class, "key: #usr (expected: one of #user, #p0, #a0"),
                Arguments.of(BadSyntax.class, "key: #user. (expected: a SpEL expression; "),
                Arguments.of(AType.class, "(expected: no T(java.lang.Runtime); expressions only read properties)"),
                Arguments.of(AConstructor.class, "condition: new java.util.Date() != null (expected: no new"),
                Arguments.of(ABean.class, "key: @environment (expected: no @environment;"),
                Arguments.of(AMethod.class, "permits: #user.length() (expected: no length();"),
                Arguments.of(AnAssignment.class, "key: #user = 'x' (expected: no "),
                Arguments.of(TooManyPermits.class, "(expected: 0..1000000000)"),
                Arguments.of(SettlesNothing.class, "settle: #result.cost (expected: a method that returns a value)"),
                Arguments.of(SettlesHeldPermits.class, "settle: #result (expected: token_bucket, fixed_window,"),
                Arguments.of(
                        SettlesByRequest.class, "settle: #request.ip (expected: one of #result instead of #request;"),
                Arguments.of(ReservesByResult.class, "permits: #result (expected: one of #principal, #request instead"),
                Arguments.of(SettlesTwice.class, "settle: #result with rule sms in several annotations (expected: "),
                Arguments.of(
                        NoFallback.class,
                        "fallback: other (expected: a method of NoFallback with the parameters (String)"),
                Arguments.of(OtherFallback.class, "fallback: other returns Integer (expected: String)"),
                Arguments.of(BadWait.class, "maxWait: soon (expected: "),
                Arguments.of(NoSuchPlaceholder.class, "rate: ${nobody.knows} (expected: placeholders that resolve; "),
                Arguments.of(OddStage.class, "returns " + Stage.class.getName() + " (expected: CompletionStage"),
                Arguments.of(BadPeriod.class, "period: 0 (expected: at least 1, in seconds)"),
                Arguments.of(NegativePoint.class, "limit: -1 (expected: "));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void isFoundAtStartup(Class<?> bean, String message) {
        rig.inForce("rules: [{ id: other, limits: [{ rate: 1 }] }, { id: sms, limits: [{ rate: 1 }] }]");
        rig.runner(bean).run(context -> {
            assertThat(context).hasFailed();
            assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                    .isInstanceOf(InvalidLimitException.class)
                    .hasMessageContaining(bean.getName() + ".call(")
                    .hasMessageContaining(message);
            FailureAnalysis analysis = new InvalidLimitFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains(bean.getName()).contains(message);
            assertThat(analysis.getAction()).isNotBlank();
        });
    }

    @Test
    void aRuleThatIsNotLoadedYetIsOnlyAWarning(CapturedOutput output) {
        rig.runner(UnknownRule.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("rule: smss").contains("no rules have been loaded yet");
    }

    static class OutOfReach {
        @RateLimited(rate = "1/s")
        public final void sealed() {}

        @RateLimited(rate = "1/s")
        private void hidden() {}

        public void call() {
            hidden();
        }
    }

    @Test
    void warnsAboutMethodsThatNoProxyReaches(CapturedOutput output) {
        rig.runner(OutOfReach.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("OutOfReach.sealed: public final").contains("OutOfReach.hidden: private");
    }

    static class Technical {
        @RateLimited(limit = "1", window = "1m", key = "#value.class.classLoader")
        public void call(String value) {}
    }

    static class Acting {
        @RateLimited(limit = "1", window = "1m", key = "#items.clear")
        public void clear(List<String> items) {}

        @RateLimited(limit = "1", window = "1m", key = "#queue.poll")
        public void poll(Queue<String> queue) {}

        @RateLimited(limit = "1", window = "1m", key = "#bean['clear']")
        public void index(Object bean) {}

        @RateLimited(limit = "1", window = "1m", key = "#bean[#name]")
        public void indexByName(Object bean, String name) {}

        @RateLimited(limit = "1", window = "1m", key = "#file.delete")
        public void delete(File file) {}

        @RateLimited(limit = "1", window = "1m", key = "#count.andIncrement")
        public void count(AtomicInteger count) {}

        @RateLimited(limit = "1", window = "1m", key = "#iterator.next")
        public void next(Iterator<String> iterator) {}
    }

    static class Bean {
        public String name = "a field";
        boolean cleared;

        public String getTitle() {
            return "a title";
        }

        public boolean isReady() {
            return true;
        }

        public boolean clear() {
            cleared = true;
            return true;
        }
    }

    @Test
    void expressionsCannotActThroughMethodsWithoutParameters(@TempDir Path folder) throws Exception {
        File file = Files.createFile(folder.resolve("kept")).toFile();
        rig.runner(Acting.class).run(context -> {
            Acting acting = context.getBean(Acting.class);
            List<String> items = new ArrayList<>(List.of("kept"));
            Queue<String> queue = new ArrayDeque<>(items);
            Iterator<String> iterator = items.iterator();
            AtomicInteger count = new AtomicInteger();
            Bean bean = new Bean();
            assertThatThrownBy(() -> acting.clear(items)).hasMessageContaining("'clear'");
            assertThatThrownBy(() -> acting.poll(queue)).hasMessageContaining("'poll'");
            assertThatThrownBy(() -> acting.index(bean)).hasMessageContaining("clear");
            assertThatThrownBy(() -> acting.index(queue)).isInstanceOf(IllegalStateException.class);
            for (String name : List.of("clear", "title", "name")) {
                assertThatThrownBy(() -> acting.indexByName(bean, name))
                        .hasStackTraceContaining("(expected: a map, a list, an array or the request)");
            }
            assertThatThrownBy(() -> acting.delete(file)).hasMessageContaining("'delete'");
            assertThatThrownBy(() -> acting.count(count)).hasMessageContaining("'andIncrement'");
            assertThatThrownBy(() -> acting.next(iterator)).hasMessageContaining("'next'");
            assertThat(items).hasSize(1);
            assertThat(queue).hasSize(1);
            assertThat(file).exists();
            assertThat(count).hasValue(0);
            assertThat(iterator.hasNext()).isTrue();
            assertThat(bean.cleared).isFalse();
        });
    }

    static class Reading {
        @RateLimited(
                limit = "1",
                window = "1m",
                key =
                        "{#bean.title, #bean.name, #bean.ready, #list.size, #list[0], #map['k'], #map.size, #array.length,"
                                + " #array[0], #text.length, #point.x}")
        public void all(
                Object bean, List<String> list, Map<String, String> map, int[] array, String text, Point point) {}
    }

    record Point(int x) {}

    @Test
    void expressionsReadProperties() {
        rig.runner(Reading.class).run(context -> {
            Reading reading = context.getBean(Reading.class);
            reading.all(new Bean(), List.of("a"), Map.of("k", "v"), new int[] {7}, "abc", new Point(1));
            reading.all(new Bean(), List.of("a"), Map.of("k", "v"), new int[] {7}, "abc", new Point(2));
            assertThatThrownBy(() ->
                            reading.all(new Bean(), List.of("a"), Map.of("k", "v"), new int[] {7}, "xyz", new Point(2)))
                    .isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void classesOfArgumentsCannotBeRead() {
        rig.runner(Technical.class).run(context -> {
            Technical bean = context.getBean(Technical.class);
            assertThatThrownBy(() -> bean.call("x"))
                    .hasMessageContaining("@RateLimited on " + Technical.class.getName() + ".call(String)")
                    .hasMessageContaining("'class'");
        });
    }
}
