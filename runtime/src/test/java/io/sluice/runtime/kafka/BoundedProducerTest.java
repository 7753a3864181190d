package io.sluice.runtime.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.sun.management.ThreadMXBean;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.process.SelfSigned;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Servers that announce answers without a bound, in place of each answer that a broker gives. */
@Timeout(900)
class BoundedProducerTest {

    private static final int NEVER = Integer.MAX_VALUE;

    private static final Map<String, byte[]> ANNOUNCED = Map.of(
            "1,213,486,160", "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
            "2,147,483,647", length(NEVER),
            "100,000,000", length(100_000_000),
            "1,048,577", length(BoundedProducer.MAX_BYTES + 1));

    /** Logs each closed connection with a stack trace. */
    private static final Logger CLIENT = (Logger) LoggerFactory.getLogger("org.apache.kafka");

    @TempDir
    static Path folder;

    private static ServerSocketFactory encrypted;

    @BeforeAll
    static void begin() throws Exception {
        CLIENT.setLevel(Level.OFF);
        new SelfSigned(folder).make("broker");
        char[] password = "changeit".toCharArray();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(folder.resolve("broker.p12"))) {
            store.load(in, password);
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        encrypted = context.getServerSocketFactory();
    }

    @AfterAll
    static void end() {
        CLIENT.setLevel(null);
    }

    private static byte[] length(int bytes) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(bytes).array();
    }

    @ParameterizedTest
    @EnumSource
    void aBrokerGetsRecords(SecurityProtocol protocol) throws Exception {
        CompletableFuture<String> refused = new CompletableFuture<>();
        try (FakeBroker broker = new FakeBroker(sockets(protocol), NEVER, new byte[0]);
                Producer<byte[], byte[]> producer = open(protocol, broker, refused)) {
            for (int i = 0; i < 5; i++) {
                assertThat(producer.send(record()).get(5, TimeUnit.MINUTES).offset())
                        .isEqualTo(1);
            }
            assertThat(refused).isNotDone();
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerThatIsTooLongIsRefusedBeforeItTakesMemory(SecurityProtocol protocol) throws Exception {
        // With SASL, the second sign-in of the second connection is behind us then.
        int steps = protocol.name.startsWith("SASL") ? 14 : 6;
        for (int honest : SeededRandom.sample(IntStream.range(0, steps).boxed().toList(), 6)) {
            for (Map.Entry<String, byte[]> each : ANNOUNCED.entrySet()) {
                if (honest == 0 || each.getKey().equals("100,000,000")) {
                    refuses(protocol, honest, each.getKey(), each.getValue());
                }
            }
        }
    }

    private static void refuses(SecurityProtocol protocol, int honest, String announced, byte[] bytes)
            throws Exception {
        CompletableFuture<String> refused = new CompletableFuture<>();
        try (FakeBroker broker = new FakeBroker(sockets(protocol), honest, bytes);
                Producer<byte[], byte[]> producer = open(protocol, broker, refused)) {
            Thread sender = new Thread(() -> {
                try {
                    while (!refused.isDone()) {
                        var unused = producer.send(record());
                    }
                } catch (KafkaException e) {
                    // The producer was closed while this waited for the broker.
                }
            });
            sender.setDaemon(true);
            sender.start();
            assertThat(refused.get(5, TimeUnit.MINUTES))
                    .endsWith("/" + broker.address() + " announces an answer of " + announced
                            + " bytes (expected: a broker of Kafka, with answers up to 1,048,576 bytes)");
            assertThat(allocated()).isBetween(1L, 50_000_000L);
            producer.close(Duration.ZERO);
        }
    }

    private static Producer<byte[], byte[]> open(
            SecurityProtocol protocol, FakeBroker broker, CompletableFuture<String> refused) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "bootstrap.servers", broker.address(),
                "client.id", "test",
                "security.protocol", protocol.name,
                "ssl.truststore.type", "PEM",
                "ssl.truststore.location", folder.resolve("broker.crt").toString(),
                "sasl.mechanism", "PLAIN",
                "sasl.jaas.config",
                        "org.apache.kafka.common.security.plain.PlainLoginModule required username=u password=p;",
                "max.block.ms", "60000",
                "request.timeout.ms", "200000",
                "delivery.timeout.ms", "300000"));
        return BoundedProducer.open(properties, refused::complete);
    }

    private static ProducerRecord<byte[], byte[]> record() {
        return new ProducerRecord<>(FakeBroker.TOPIC, new byte[] {1});
    }

    private static ServerSocketFactory sockets(SecurityProtocol protocol) {
        boolean plain = protocol == SecurityProtocol.PLAINTEXT || protocol == SecurityProtocol.SASL_PLAINTEXT;
        return plain ? ServerSocketFactory.getDefault() : encrypted;
    }

    /** How many bytes the thread of the client has taken; it ends only when the producer is closed. */
    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long total = 0;
        for (Map.Entry<Thread, StackTraceElement[]> each :
                Thread.getAllStackTraces().entrySet()) {
            if (each.getKey().getName().equals(KafkaProducer.NETWORK_THREAD_PREFIX + " | test")) {
                total += threads.getThreadAllocatedBytes(each.getKey().getId());
            }
        }
        return total;
    }
}
