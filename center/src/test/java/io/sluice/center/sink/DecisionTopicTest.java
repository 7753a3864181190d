package io.sluice.center.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.decisions.DecisionRecorder;
import io.sluice.runtime.decisions.DecisionSettings;
import io.sluice.runtime.decisions.DecisionSettings.Shares;
import io.sluice.runtime.decisions.PlaceCounts;
import io.sluice.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/**
 * The decisions of a process and a real broker, which goes down and comes back. The test is here and not beside the recorder, because
 * this module has the broker.
 */
@Timeout(900)
class DecisionTopicTest {

    private static final String TOPIC = "sluice-decisions";
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final RuleSet RULES = new RuleSet(
            3,
            ((RuleDocument.Accepted)
                            RuleDocument.parse(
                                    "test",
                                    "rules: [{ id: shut, mode: local, limits: [{ algorithm: fixed_window, limit: 0, window: 1h }] }]"))
                    .rules());

    @TempDir
    Path folder;

    @Test
    void decisionsArriveAndABrokerThatIsDownBlocksNothing() throws Exception {
        EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1, TOPIC);
        broker.afterPropertiesSet();
        String servers = broker.getBrokersAsString();
        Path properties = Files.writeString(
                folder.resolve("kafka.properties"),
                "request.timeout.ms=1000\ndelivery.timeout.ms=2000\nreconnect.backoff.max.ms=500\n");
        DecisionSettings settings = new DecisionSettings(
                Optional.empty(),
                Optional.of(new DecisionSettings.Kafka(servers, TOPIC, Optional.of(properties))),
                new Shares(1, 1),
                Map.of(),
                0);
        KeySettings keys = KeySettings.ofThisProcess();
        Clock clock = Clock.system();
        try (DecisionRecorder recorder = DecisionRecorder.open(settings, Optional.empty(), () -> RULES, keys, clock)
                .orElseThrow()) {
            Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
            Evaluator evaluator = new Evaluator(() -> RULES, local, null, keys, clock, recorder);
            PlaceCounts counts = recorder.counts().get(0);
            // One by one until the first has arrived: a slow broker may take longer than a record may wait.
            int first = untilArrived(evaluator, counts, 0);
            assertThat(read(servers, first)).contains("r" + first);

            broker.getCluster().brokers().values().forEach(each -> {
                each.shutdown();
                each.awaitShutdown();
            });
            long droppedBefore = counts.dropped();
            for (int i = 0; i < 100; i++) {
                send(evaluator, "lost" + i);
            }
            Await.until("the lost ones are counted", PATIENCE, () -> counts.dropped() >= droppedBefore + 100);

            broker.getCluster().brokers().values().forEach(each -> each.startup());
            int second = untilArrived(evaluator, counts, first);
            assertThat(read(servers, second)).contains("r" + first, "r" + second);
        } finally {
            broker.destroy();
        }
    }

    /** Sends requests until one has arrived, and returns its number. */
    private static int untilArrived(Evaluator evaluator, PlaceCounts counts, int last) {
        for (int number = last + 1; ; number++) {
            long logged = counts.logged();
            long told = logged + counts.dropped();
            send(evaluator, "r" + number);
            Await.until("the decision is logged or dropped", PATIENCE, () -> counts.logged() + counts.dropped() > told);
            if (counts.logged() > logged) {
                return number;
            }
            assertThat(number).isLessThan(last + 200);
        }
    }

    private static void send(Evaluator evaluator, String requestId) {
        evaluator
                .evaluate(Attributes.of(Map.of("user", "u-1")).from(new Origin(requestId, "", "", false)), 1)
                .toCompletableFuture()
                .join();
    }

    /** Reads until the request with this number is there, and returns the ids of all requests. */
    private static Set<String> read(String servers, int number) {
        Set<String> requests = new HashSet<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", servers), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TopicPartition partition = new TopicPartition(TOPIC, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (!requests.contains("r" + number)) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofSeconds(1))) {
                    DecisionEntry entry = DecisionEntry.parse(new String(each.value(), StandardCharsets.UTF_8));
                    assertThat(entry.rule()).isEqualTo("shut");
                    requests.add(entry.requestId());
                }
            }
        }
        return requests;
    }
}
