package io.sluice.spring.kotlin

import java.util.concurrent.TimeUnit
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test

/** Tests of coroutines as endpoints that hold for both servers. */
abstract class CoroutineEndpoints {

    abstract val app: RunningApp

    protected val handlers: Handlers
        get() = app.bean(Handlers::class.java)

    protected val inFlight: InFlight
        get() = app.bean(InFlight::class.java)

    @Test
    fun `a suspended request keeps its permit until it ends`() {
        val first = app.start("/alone/a")
        await().atMost(1, TimeUnit.MINUTES).until { inFlight.running.get() == 1 }
        val refused = app.get("/alone/b")
        assertThat(refused.statusCode()).isEqualTo(429)
        assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json")
        assertThat(first).isNotDone()
        handlers.work("a").complete("done")
        assertThat(first.get(1, TimeUnit.MINUTES).body()).isEqualTo("done")
        handlers.work("c").complete("next")
        await().atMost(1, TimeUnit.MINUTES).until { app.get("/alone/c").body() == "next" }
    }

    @Test
    fun `a coroutine that fails gives its permit back`() {
        handlers.work("failed").completeExceptionally(IllegalStateException("boom"))
        assertThat(app.get("/alone/failed").statusCode()).isEqualTo(500)
        handlers.work("after").complete("after")
        await().atMost(1, TimeUnit.MINUTES).until { app.get("/alone/after").body() == "after" }
    }

    @Test
    fun `keys are read from the request`() {
        assertThat(app.get("/each?phone=1").body()).isEqualTo("sent")
        assertThat(app.get("/each?phone=1").statusCode()).isEqualTo(429)
        assertThat(app.get("/each?phone=2").body()).isEqualTo("sent")
    }

    @Test
    fun `a flow keeps its permit until its last item`() {
        val first = app.start("/flow/x")
        await().atMost(1, TimeUnit.MINUTES).until { handlers.work.containsKey("x") }
        assertThat(app.get("/flow/y").statusCode()).isEqualTo(429)
        assertThat(first).isNotDone()
        handlers.work("x").complete("done")
        assertThat(first.get(1, TimeUnit.MINUTES).body()).contains("begun", "done")
        handlers.work("z").complete("next")
        await().atMost(1, TimeUnit.MINUTES).until { app.get("/flow/z").body().contains("next") }
    }
}
