package io.sluice.spring.kotlin

import io.sluice.spring.RateLimitExceededException
import io.sluice.spring.RateLimited
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import org.springframework.stereotype.Service

@Service
class Messages {

    @RateLimited(limit = "1", window = "1m", key = "#phone", fallback = "later")
    suspend fun send(phone: String, text: String): String {
        delay(1)
        return "sent to $phone: $text"
    }

    suspend fun later(phone: String, text: String, refusal: RateLimitExceededException): String =
        "not sent to $phone: ${refusal.message}"

    @RateLimited(algorithm = "concurrency", limit = "4", ttl = "30s")
    fun prices(): Flow<Int> = flowOf(1, 2, 3)
}
