package io.sluice.spring.kotlin

import io.sluice.spring.RateLimitExceededException
import io.sluice.testkit.redis.FaultProxy
import io.sluice.testkit.redis.RedisServer
import java.net.Socket
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.consumeAsFlow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.springframework.boot.WebApplicationType

/** Runs [CoroutineEndpoints] on Netty, with one event loop. Calls coroutines of the application without a request, too. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReactiveCoroutinesTest : CoroutineEndpoints() {

    private val redis = RedisServer.start()
    private val proxy = FaultProxy.before(redis)

    override val app =
        RunningApp(
            WebApplicationType.REACTIVE,
            "--sluice.redis.uri=${proxy.uri()}",
            "--sluice.rules[0].id=shared",
            "--sluice.rules[0].service=by-name",
            "--sluice.rules[0].deadline=1m",
            "--sluice.rules[0].limits[0].limit=1000000",
            "--sluice.rules[0].limits[0].window=1h",
        )

    private val reports = app.bean(Reports::class.java)

    @AfterAll
    fun stop() {
        app.close()
        proxy.close()
        redis.close()
    }

    private suspend fun refusal(call: suspend () -> Any?): RateLimitExceededException {
        val outcome = runCatching { call() }
        return outcome.exceptionOrNull() as? RateLimitExceededException
            ?: throw AssertionError("expected a refusal, but there was $outcome")
    }

    /** Each call reserves all permits of its limit, so the next one passes only if the one before cost nothing. */
    @Test
    fun `the result of a coroutine settles what it reserved`() {
        runBlocking {
            repeat(3) { assertThat(reports.cost(0, 0)).isEqualTo(0) }
            assertThat(reports.cost(0, 1)).isEqualTo(0)
            assertThat(refusal { reports.cost(0, 0) }).isNotNull()
        }
    }

    @Test
    fun `the last figure of a flow settles what it reserved`() {
        runBlocking {
            repeat(2) { assertThat(reports.costs(flowOf(9, 0, "end")).toList()).hasSize(3) }
            assertThat(reports.costs(flowOf(0, 9)).toList()).hasSize(2)
            assertThat(refusal { reports.costs(flowOf(0)).toList() }).isNotNull()
            repeat(2) { assertThat(reports.costsLater(flowOf(9, 0)).toList()).hasSize(2) }
        }
    }

    @Test
    fun `calls are counted by the arguments that the author wrote`() = runBlocking<Unit> {
        assertThat(reports.send("1", "a")).isEqualTo("a to 1")
        assertThat(reports.send("1", "b")).isEqualTo("b to 1")
        assertThat(refusal { reports.send("1", "c") }.retryAfter()).isPresent()
        assertThat(reports.send("2", "d")).isEqualTo("d to 2")
        reports.note("x", "ann")
        refusal { reports.note("y", "ann") }
        reports.note("z", "bob")
    }

    @Test
    fun `many coroutines on many threads share one exact count`() = runBlocking<Unit> {
        val passed =
            withContext(Dispatchers.Default) {
                (1..200)
                    .map { async { runCatching { reports.send("many", "$it") } } }
                    .awaitAll()
                    .count { it.isSuccess }
            }
        assertThat(passed).isEqualTo(2)
    }

    @Test
    fun `interfaces work, too`() = runBlocking<Unit> {
        val greeter = app.bean(Greeter::class.java)
        assertThat(greeter.greet("Ann")).isEqualTo("Hello, Ann")
        refusal { greeter.greet("Ann") }
    }

    @Test
    fun `a suspended call keeps its permit until it ends or is cancelled`() = runBlocking<Unit> {
        val work = CompletableDeferred<String>()
        val first = async(start = CoroutineStart.UNDISPATCHED) { reports.alone(work) }
        refusal { reports.alone(work) }
        work.complete("done")
        assertThat(first.await()).isEqualTo("done")

        val before = reports.calls.get()
        val cancelled = async { reports.alone(CompletableDeferred()) }
        withTimeout(60_000) { while (reports.calls.get() == before) yield() }
        refusal { reports.alone(work) }
        cancelled.cancelAndJoin()
        assertThat(reports.alone(work)).isEqualTo("done")
        withTimeout(60_000) { while (reports.cancelled.isEmpty()) yield() }

        val failed = CompletableDeferred<String>().apply { completeExceptionally(IllegalArgumentException("boom")) }
        repeat(2) {
            assertThat(runCatching { reports.alone(failed) }.exceptionOrNull())
                .isInstanceOf(IllegalArgumentException::class.java)
        }
    }

    @Test
    fun `a coroutine waits for its turn without a thread, and leaves the line when it is cancelled`() = runBlocking<Unit> {
        val before = reports.calls.get()
        val work = CompletableDeferred<String>()
        val first = async(start = CoroutineStart.UNDISPATCHED) { reports.inTurn(work) }
        withTimeout(60_000) { while (reports.calls.get() == before) yield() }
        val second = async(start = CoroutineStart.UNDISPATCHED) { reports.inTurn(CompletableDeferred()) }
        val third = async(start = CoroutineStart.UNDISPATCHED) { reports.inTurn(CompletableDeferred("third")) }
        second.cancelAndJoin()
        assertThat(third.isActive).isTrue()
        work.complete("first")
        assertThat(first.await()).isEqualTo("first")
        assertThat(third.await()).isEqualTo("third")
        assertThat(reports.calls.get()).isEqualTo(before + 2)
    }

    @Test
    fun `fallbacks are suspend functions or plain ones`() = runBlocking<Unit> {
        assertThat(reports.refused("Ann", 3)).isEqualTo("Ann 3: refused")
        assertThat(reports.refusedAtOnce(7)).isEqualTo(-7)
        assertThat(reports.refusedAtOnce(0)).isNull()
    }

    @Test
    fun `the documented example works`() = runBlocking<Unit> {
        val messages = app.bean(Messages::class.java)
        val answers = (1..3).map { messages.send("7", "hi") }
        assertThat(answers.first()).isEqualTo("sent to 7: hi")
        assertThat(answers.last()).startsWith("not sent to 7: ")
        assertThat(messages.prices().toList()).containsExactly(1, 2, 3)
    }

    @Test
    fun `each collection of a flow is a call`() = runBlocking<Unit> {
        val items = Channel<Int>()
        val open = reports.stream(items.consumeAsFlow())
        val collected = async(start = CoroutineStart.UNDISPATCHED) { open.toList() }
        items.send(1)
        refusal { reports.stream(flowOf(0)).toList() }
        items.send(2)
        items.close()
        assertThat(collected.await()).containsExactly(1, 2)
        assertThat(reports.stream(flowOf(1, 2, 3)).take(1).toList()).containsExactly(1)
        assertThat(reports.stream(flowOf(4)).toList()).containsExactly(4)

        assertThat(reports.numbers().toList()).containsExactly(1, 2, 3)
        assertThat(reports.numbers().toList()).containsExactly(0)
    }

    @Test
    fun `a caller that disconnects gives its permit back`() {
        val port = app.bean(org.springframework.core.env.Environment::class.java).getProperty("local.server.port")!!
        Socket("127.0.0.1", port.toInt()).use { socket ->
            socket.getOutputStream().write("GET /alone/left HTTP/1.1\r\nHost: x\r\n\r\n".toByteArray())
            await().atMost(1, TimeUnit.MINUTES).until { inFlight.running.get() == 1 }
            assertThat(app.get("/alone/other").statusCode()).isEqualTo(429)
        }
        handlers.work("later").complete("later")
        await().atMost(1, TimeUnit.MINUTES).until { app.get("/alone/later").body() == "later" }
    }

    /** If the decision blocked the only event loop, no other request would be processed while it is under way. */
    @Test
    fun `other requests are processed while the store is silent`() {
        assertThat(app.get("/shared").body()).isEqualTo("shared")
        proxy.silence()
        val pending = app.start("/shared")
        await().atMost(1, TimeUnit.MINUTES).until { app.get("/free").body() == "1" }
        proxy.resume()
        proxy.cut()
        assertThat(pending.get(2, TimeUnit.MINUTES).statusCode()).isEqualTo(200)
    }
}
