package io.sluice.spring.kotlin

import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.time.Duration
import java.util.concurrent.CompletableFuture
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import org.springframework.http.client.ReactorResourceFactory
import org.springframework.web.server.WebFilter
import reactor.core.publisher.Mono
import reactor.netty.resources.LoopResources

@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(Reports::class, Handlers::class, Messages::class)
class KotlinApp {

    @Bean fun inFlight() = InFlight()

    @Bean fun greeter(): Greeter = PoliteGreeter()
}

/** All requests of this application are processed by one thread. */
@Configuration(proxyBeanMethods = false)
class OneLoop {

    @Bean
    fun reactorResourceFactory() =
        ReactorResourceFactory().apply {
            isUseGlobalResources = false
            setLoopResourcesSupplier { LoopResources.create("only", 1, 1, true) }
        }

    @Bean
    fun counting(inFlight: InFlight) = WebFilter { exchange, chain ->
        Mono.defer {
            inFlight.requests.incrementAndGet()
            chain.filter(exchange).doFinally { inFlight.requests.decrementAndGet() }
        }
    }
}

/** An application on a real server and a free port. */
class RunningApp(type: WebApplicationType, vararg properties: String) : AutoCloseable {

    private val client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()

    private val context: ConfigurableApplicationContext =
        SpringApplicationBuilder(KotlinApp::class.java)
            .apply { if (type == WebApplicationType.REACTIVE) sources(OneLoop::class.java) }
            .web(type)
            .run(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.main.banner-mode=off",
                "--logging.level.root=off",
                "--spring.aop.proxy-target-class=false",
                *properties,
            )

    fun <T : Any> bean(type: Class<T>): T = context.getBean(type)

    fun get(target: String): HttpResponse<String> = client.send(request(target), HttpResponse.BodyHandlers.ofString())

    fun start(target: String): CompletableFuture<HttpResponse<String>> =
        client.sendAsync(request(target), HttpResponse.BodyHandlers.ofString())

    private fun request(target: String): HttpRequest =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:${context.environment.getProperty("local.server.port")}$target"))
            .timeout(Duration.ofMinutes(2))
            .build()

    override fun close() = context.close()
}
