package io.sluice.spring.boot.starts;

import io.sluice.spring.RateLimited;
import io.sluice.spring.web.BodyMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Limited in every way that may depend on the kind of thread. Runs in a process of its own. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class ThreadsApp {

    /** How many bodies of unknown length there is memory for. */
    public static final int MOST_BODIES = 64;

    private final CountDownLatch released = new CountDownLatch(1);

    /** Starts the application, and writes its port to the file that is the first argument. */
    public static void main(String[] arguments) throws IOException {
        ConfigurableApplicationContext context = SpringApplication.run(ThreadsApp.class, arguments);
        Path file = Path.of(arguments[0]);
        Path draft = file.resolveSibling("draft");
        Files.writeString(draft, context.getEnvironment().getRequiredProperty("local.server.port"));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Little memory for bodies, which {@link Look} shows. */
    @Configuration(proxyBeanMethods = false)
    static class Memory {

        @Bean
        BodyMemory bodyMemory() {
            return new BodyMemory(MOST_BODIES * 8_192L);
        }
    }

    @RestController
    static class Look {

        private final BodyMemory memory;

        Look(BodyMemory memory) {
            this.memory = memory;
        }

        @GetMapping("/memory")
        public String taken() {
            return Long.toString(memory.taken());
        }
    }

    @GetMapping("/thread")
    public String thread() {
        return Thread.currentThread().toString().startsWith("VirtualThread") ? "virtual" : "platform";
    }

    @PostMapping("/named")
    public String named(@RequestBody String body) {
        return body;
    }

    @GetMapping("/held")
    @RateLimited(algorithm = "concurrency", limit = "20", ttl = "1h")
    public String held() throws InterruptedException {
        return released.await(5, TimeUnit.MINUTES) ? "held" : "not released";
    }

    @GetMapping("/release")
    public String release() {
        released.countDown();
        return "released";
    }
}
