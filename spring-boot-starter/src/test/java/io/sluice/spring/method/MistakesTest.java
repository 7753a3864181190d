package io.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spring.LimitPoint;
import io.sluice.spring.RateLimited;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;

/** What is wrong with an annotation is found at start, with class, method and attribute. */
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
                Arguments.of(RuleAndRate.class, "rate: 1/s beside rule (expected: "),
                Arguments.of(UnknownRule.class, "rule: smss (expected: sms, "),
                Arguments.of(UnknownVariable.class, "key: #usr (expected: instead of #usr one of #user, #p0, #a0"),
                Arguments.of(BadSyntax.class, "key: #user. (expected: an expression; "),
                Arguments.of(AType.class, "(expected: no T(java.lang.Runtime); expressions only read properties)"),
                Arguments.of(AConstructor.class, "condition: new java.util.Date() != null (expected: no new"),
                Arguments.of(ABean.class, "key: @environment (expected: no @environment;"),
                Arguments.of(AMethod.class, "permits: #user.length() (expected: no length();"),
                Arguments.of(AnAssignment.class, "key: #user = 'x' (expected: no "),
                Arguments.of(TooManyPermits.class, "(expected: 0..1000000000)"),
                Arguments.of(
                        NoFallback.class,
                        "fallback: other (expected: a method of NoFallback with the parameters (String)"),
                Arguments.of(OtherFallback.class, "fallback: other returns Integer (expected: String)"),
                Arguments.of(BadWait.class, "maxWait: soon (expected: "),
                Arguments.of(NoSuchPlaceholder.class, "rate: ${nobody.knows} (expected: known placeholders; "),
                Arguments.of(OddStage.class, "returns " + Stage.class.getName() + " (expected: CompletionStage"),
                Arguments.of(BadPeriod.class, "period: 0 (expected: at least 1, in seconds)"),
                Arguments.of(NegativePoint.class, "limit: -1 (expected: "));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void isFoundAtStart(Class<?> bean, String message) {
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
    void aRuleThatMayStillComeIsNoMistake(CapturedOutput output) {
        rig.runner(UnknownRule.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("rule: smss").contains("no rules have come yet");
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
    void warnsOfMethodsThatNoProxyReaches(CapturedOutput output) {
        rig.runner(OutOfReach.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("OutOfReach.sealed: public final").contains("OutOfReach.hidden: private");
    }

    static class Technical {
        @RateLimited(limit = "1", window = "1m", key = "#value.class.classLoader")
        public void call(String value) {}
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
