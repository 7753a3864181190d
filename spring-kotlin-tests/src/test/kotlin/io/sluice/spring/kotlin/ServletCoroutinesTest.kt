package io.sluice.spring.kotlin

import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.TestInstance
import org.springframework.boot.WebApplicationType

/** Runs [CoroutineEndpoints] on Tomcat. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServletCoroutinesTest : CoroutineEndpoints() {

    override val app = RunningApp(WebApplicationType.SERVLET, "--sluice.missing-rule=allow")

    @AfterAll fun stop() = app.close()
}
