package io.sluice.spring.kotlin

import io.sluice.spring.RateLimited
import io.sluice.spring.boot.SluiceAutoConfiguration
import io.sluice.spring.boot.method.MethodLimitAutoConfiguration
import io.sluice.spring.method.plan.InvalidLimitException
import java.util.concurrent.CompletableFuture
import java.util.stream.Stream
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner

/** What cannot be limited is refused at the start. */
class MistakesTest {

    open class ReturnsDeferred {
        @RateLimited(rate = "1/s") open fun ask(): Deferred<String> = CompletableDeferred("x")
    }

    open class ReturnsStateFlow {
        @RateLimited(rate = "1/s") open fun ask(): StateFlow<String> = MutableStateFlow("x")
    }

    open class SuspendsForAStage {
        @RateLimited(rate = "1/s") open suspend fun ask(): CompletableFuture<String> = CompletableFuture()
    }

    open class ReadsTheContinuation {
        @RateLimited(rate = "1/s", key = "#p1") open suspend fun ask(name: String): String = name
    }

    open class NoFallback {
        @RateLimited(rate = "1/s", fallback = "other") open suspend fun ask(name: String): String = name
    }

    open class OtherFallback {
        @RateLimited(rate = "1/s", fallback = "other") open suspend fun ask(name: String): String = name

        open suspend fun other(name: String): Int = name.length
    }

    open class SuspendFallback {
        @RateLimited(rate = "1/s", fallback = "other") open fun ask(name: String): String = name

        open suspend fun other(name: String): String = name
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    fun `is refused at the start`(bean: Class<*>, message: String) {
        ApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(SluiceAutoConfiguration::class.java, MethodLimitAutoConfiguration::class.java)
            )
            .withUserConfiguration(bean)
            .run { context ->
                assertThat(context.startupFailure)
                    .rootCause()
                    .isInstanceOf(InvalidLimitException::class.java)
                    .hasMessageContaining(bean.name + ".ask(")
                    .hasMessageContaining(message)
            }
    }

    companion object {
        @JvmStatic
        fun mistakes(): Stream<Arguments> =
            Stream.of(
                Arguments.of(ReturnsDeferred::class.java, "returns kotlinx.coroutines.Deferred (expected: "),
                Arguments.of(ReturnsDeferred::class.java, "a suspend function"),
                Arguments.of(ReturnsStateFlow::class.java, "returns kotlinx.coroutines.flow.StateFlow (expected: "),
                Arguments.of(
                    SuspendsForAStage::class.java,
                    "is a suspend function that returns java.util.concurrent.CompletableFuture (expected: a plain value or a Flow)",
                ),
                Arguments.of(ReadsTheContinuation::class.java, "expected: one of #name, #p0, #a0, #principal, #request"),
                Arguments.of(NoFallback::class.java, "with the parameters (String), optionally followed by"),
                Arguments.of(OtherFallback::class.java, "fallback: other returns Integer (expected: String)"),
                Arguments.of(SuspendFallback::class.java, "fallback: other is a suspend function (expected: a plain one"),
            )
    }
}
