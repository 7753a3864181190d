package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.Attributes;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.participant.Participant;
import io.sluice.spring.boot.store.SluiceStartException;
import io.sluice.testkit.Await;
import io.sluice.testkit.http.CenterStub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications that log their decisions. */
@Timeout(300)
class SluiceDecisionsTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    private Path folder;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
            .withPropertyValues(
                    "sluice.rules[0].id=a",
                    "sluice.rules[0].limits[0].algorithm=fixed_window",
                    "sluice.rules[0].limits[0].limit=0",
                    "sluice.rules[0].limits[0].window=1h");

    private static void ask(Evaluator evaluator) {
        evaluator
                .evaluate(Attributes.of(Map.of("user", "u-10086")), 1)
                .toCompletableFuture()
                .join();
    }

    private static List<String> lines(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                if (file.toString().endsWith(".jsonl")) {
                    return Files.readAllLines(file);
                }
            }
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void writesFilesAndCountsThem() {
        application
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(
                        "sluice.decisions.dir=" + folder.resolve("log"),
                        "sluice.decisions.max-size=1MB",
                        "sluice.decisions.keep=30d",
                        "sluice.decisions.share=0",
                        "sluice.decisions.rules.a.share=1")
                .run(context -> {
                    for (int i = 0; i < 3; i++) {
                        ask(context.getBean(Evaluator.class));
                    }
                    Await.until(
                            "three lines",
                            PATIENCE,
                            () -> lines(folder.resolve("log")).size() == 3);
                    assertThat(lines(folder.resolve("log")))
                            .allMatch(line -> DecisionEntry.parse(line).rule().equals("a"))
                            .noneMatch(line -> line.contains("u-10086"));
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    Await.until(
                            "the metric tells",
                            PATIENCE,
                            () -> registry.get("rate_limit_decisions_logged")
                                            .tag("place", "file")
                                            .functionCounter()
                                            .count()
                                    == 3);
                });
    }

    @Test
    void sendsTheCenterASample() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        try (CenterStub center = CenterStub.start().answerReports(200, new Fleet(1, 1, "", 0).toJson())) {
            application
                    .withPropertyValues("sluice.center.url=" + center.url(), "sluice.center.token-file=" + token)
                    .run(context -> {
                        ask(context.getBean(Evaluator.class));
                        List<DataBatch> sent = List.of();
                        while (sent.isEmpty()) {
                            sent = NodeReport.parse(center.report())
                                    .data()
                                    .traffic()
                                    .map(data -> data.batches().stream()
                                            .filter(batch -> batch.kind() == Kind.DECISIONS)
                                            .toList())
                                    .orElse(List.of());
                        }
                        assertThat(DecisionEntry.list(sent.get(0).content())).hasSize(1);
                    });
        }
    }

    @Test
    void withoutPropertiesAndACenterNothingIsLogged() {
        application.run(context -> {
            ask(context.getBean(Evaluator.class));
            assertThat(context.getBean(Participant.class).decisions()).isEmpty();
        });
    }

    @Test
    void aBadPropertyIsNamed() {
        application
                .withPropertyValues("sluice.decisions.dir=" + folder, "sluice.decisions.share=2")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(SluiceStartException.class)
                        .hasMessageContaining("sluice.decisions: share: 2.0 (expected: 0 to 1, such as 0.1)"));
    }

    /** The client of Kafka is not on the class path of this test. */
    @Test
    void kafkaWithoutItsClientIsRefused() {
        application
                .withPropertyValues("sluice.decisions.kafka.servers=localhost:9092")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(SluiceStartException.class)
                        .hasMessageContaining("the client of Kafka is not on the class path"));
    }
}
