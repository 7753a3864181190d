package io.sluice.spring.kotlin

import io.sluice.spring.RateLimitExceededException
import io.sluice.spring.RateLimited
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.job
import kotlinx.coroutines.yield
import org.springframework.stereotype.Service

/** A service whose functions are limited. It counts the calls that reach it. */
@Service
class Reports {

    val calls = AtomicInteger()
    val cancelled = ConcurrentLinkedQueue<String>()

    @RateLimited(limit = "2", window = "1h", key = "#phone", mode = "local")
    suspend fun send(phone: String, text: String): String {
        yield()
        calls.incrementAndGet()
        return "$text to $phone"
    }

    @RateLimited(limit = "1", window = "1h", key = "#p1", mode = "local")
    suspend fun note(text: String, author: String?) {
        yield()
        calls.incrementAndGet()
        check(text.isNotEmpty() || author == null)
    }

    @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h", mode = "local")
    suspend fun alone(work: CompletableDeferred<String>): String = following(work)

    @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h", maxWait = "1h", mode = "local")
    suspend fun inTurn(work: CompletableDeferred<String>): String = following(work)

    private suspend fun following(work: CompletableDeferred<String>): String {
        calls.incrementAndGet()
        currentCoroutineContext().job.invokeOnCompletion { failure -> failure?.let { cancelled += it.toString() } }
        return work.await()
    }

    @RateLimited(limit = "0", window = "1h", fallback = "later", mode = "local")
    suspend fun refused(name: String, count: Int): String = "$name $count"

    suspend fun later(name: String, count: Int, refusal: RateLimitExceededException): String {
        yield()
        return "$name $count: ${refusal.ruling().rule()?.id()?.substringAfterLast('.')}"
    }

    @RateLimited(limit = "0", window = "1h", fallback = "atOnce", mode = "local")
    suspend fun refusedAtOnce(count: Int): Int? = count

    fun atOnce(count: Int): Int? = if (count == 0) null else -count

    @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h", mode = "local")
    fun stream(source: Flow<Int>): Flow<Int> = source

    @RateLimited(limit = "1", window = "1h", fallback = "noNumbers", mode = "local")
    suspend fun numbers(): Flow<Int> {
        yield()
        return flowOf(1, 2, 3)
    }

    fun noNumbers(): Flow<Int> = flow { emit(0) }

    @RateLimited(limit = "10", window = "1h", permits = "10", settle = "#result + #more", mode = "local")
    suspend fun cost(figure: Int, more: Int): Int {
        yield()
        return figure
    }

    @RateLimited(limit = "10", window = "1h", permits = "10", settle = "#result", mode = "local")
    fun costs(source: Flow<Any>): Flow<Any> = source

    @RateLimited(limit = "10", window = "1h", permits = "10", settle = "#result", mode = "local")
    suspend fun costsLater(source: Flow<Any>): Flow<Any> {
        yield()
        return source
    }
}

/** The same through an interface, whose proxy has another form. */
interface Greeter {

    suspend fun greet(name: String): String
}

class PoliteGreeter : Greeter {

    @RateLimited(limit = "1", window = "1h", key = "#name", mode = "local")
    override suspend fun greet(name: String): String = "Hello, $name"
}
