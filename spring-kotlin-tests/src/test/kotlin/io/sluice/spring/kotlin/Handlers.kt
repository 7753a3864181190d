package io.sluice.spring.kotlin

import io.sluice.spring.RateLimited
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.RestController

/** Endpoints that are coroutines, for both servers. */
@RestController
class Handlers(private val inFlight: InFlight) {

    /** What running calls wait for, by name. A test completes them. */
    val work = ConcurrentHashMap<String, CompletableDeferred<String>>()

    fun work(name: String): CompletableDeferred<String> = work.computeIfAbsent(name) { CompletableDeferred() }

    @GetMapping("/alone/{name}")
    @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h", mode = "local")
    suspend fun alone(@PathVariable name: String): String {
        inFlight.running.incrementAndGet()
        try {
            return work(name).await()
        } finally {
            inFlight.running.decrementAndGet()
        }
    }

    @GetMapping("/each")
    @RateLimited(limit = "1", window = "1h", key = "#request['query.phone']", mode = "local")
    suspend fun each(): String = "sent"

    @GetMapping("/flow/{name}")
    @RateLimited(algorithm = "concurrency", limit = "1", ttl = "1h", mode = "local")
    fun flow(@PathVariable name: String): Flow<String> = flow {
        emit("begun ")
        emitAll(flowOf(work(name).await()))
    }

    @GetMapping("/shared")
    @RateLimited(rule = "shared")
    suspend fun shared(): String = "shared"

    /** How many requests are being processed, this one excluded. */
    @GetMapping("/free")
    suspend fun free(): String = "${inFlight.requests.get() - 1}"
}

class InFlight {
    val running = AtomicInteger()
    val requests = AtomicInteger()
}
