package io.sluice.center.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import tools.jackson.databind.json.JsonMapper;

/** A real broker, which goes down and comes back. */
class KafkaSinkTest {

    private static final String TOPIC = "sluice-audit";

    @TempDir
    Path folder;

    @Test
    void rowsArriveInOrderAndWaitForABrokerThatIsDown() throws Exception {
        EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1, TOPIC);
        broker.afterPropertiesSet();
        String servers = broker.getBrokersAsString();
        try (SinkLog log = new SinkLog(Files.createDirectory(folder.resolve("data")))) {
            Path properties = Files.writeString(
                    folder.resolve("kafka.properties"), "request.timeout.ms=5000\ndelivery.timeout.ms=6000\nacks=0\n");
            AuditSinks sinks = log.follow(1_000, new AuditSink.Kafka(servers, TOPIC, Optional.of(properties)));
            log.add(3);
            log.untilSent(3);
            assertThat(read(servers, 3)).containsExactly(1L, 2L, 3L);
            broker.getCluster().brokers().values().forEach(each -> {
                each.shutdown();
                each.awaitShutdown();
            });
            log.add(2);
            log.until("the status tells", () -> !sinks.problems().isEmpty());
            assertThat(sinks.problems().get(0)).contains("audit sink kafka " + servers, "rows after 3 wait");
            broker.getCluster().brokers().values().forEach(each -> each.startup());
            log.untilSent(5);
            assertThat(read(servers, 5)).containsExactly(1L, 2L, 3L, 4L, 5L);
        } finally {
            broker.destroy();
        }
    }

    @Test
    void aWebServerInPlaceOfABrokerIsNamed() throws Exception {
        try (ServerSocket web = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
                SinkLog log = new SinkLog(Files.createDirectory(folder.resolve("data")))) {
            Thread server = new Thread(() -> answerAsHttp(web));
            server.setDaemon(true);
            server.start();
            String address = "127.0.0.1:" + web.getLocalPort();
            AuditSinks sinks = log.follow(1_000, new AuditSink.Kafka(address, TOPIC, Optional.empty()));
            log.add(1);
            log.until("the status names it", () -> !sinks.problems().isEmpty());
            assertThat(sinks.problems().get(0))
                    .contains("audit sink kafka " + address, address + " announces an answer of 1,213,486,160 bytes");
        }
    }

    private static void answerAsHttp(ServerSocket web) {
        while (!web.isClosed()) {
            try (Socket client = web.accept()) {
                int unused = client.getInputStream().read(new byte[8_192]);
                client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                // The test has ended, or the client has left.
            }
        }
    }

    /** Returns the numbers of the rows; after a failure rows may arrive twice. */
    private static Set<Long> read(String servers, int least) {
        Set<Long> numbers = new LinkedHashSet<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", servers), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TopicPartition partition = new TopicPartition(TOPIC, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (numbers.size() < least) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofSeconds(1))) {
                    numbers.add(JsonMapper.shared()
                            .readTree(new String(each.value(), StandardCharsets.UTF_8))
                            .get("number")
                            .asLong());
                    assertThat(new String(each.key(), StandardCharsets.UTF_8)).hasSize(32);
                }
            }
        }
        return numbers;
    }
}
