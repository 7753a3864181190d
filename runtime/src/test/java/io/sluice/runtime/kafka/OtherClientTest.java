package io.sluice.runtime.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.runtime.CapturedLog;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ServerSocketFactory;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.AppInfoParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Applications that bring another version of Kafka's client, or one without some of its classes. */
@Timeout(900)
class OtherClientTest {

    private static final String OURS = BoundedProducer.class.getPackageName() + ".";
    private static final String UNBOUNDED = "answers of Kafka have no bound";
    private static final String KNOWN = "4.1.2";

    /** What every version of the client has, and what no application can do without. */
    private static final Set<String> EVERYWHERE = Set.of(
            KafkaProducer.class.getName(),
            Producer.class.getName(),
            ProducerConfig.class.getName(),
            ByteArraySerializer.class.getName(),
            AppInfoParser.class.getName());

    @ParameterizedTest
    @ValueSource(strings = {"3.9.2", "4.0.1", "4.2.0", "unknown"})
    void anotherVersionHasNoBoundAndTheLogSaysSo(String version) throws Exception {
        try (CapturedLog log = new CapturedLog(BoundedProducer.class)) {
            send(new Application(version, Optional.empty()));
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains(UNBOUNDED, version + " (expected: 4.1.x, with all its classes)");
        }
    }

    @Test
    void aMissingClassIsNoErrorOfTheApplication() throws Exception {
        Application whole = new Application(KNOWN, Optional.empty());
        try (CapturedLog log = new CapturedLog(BoundedProducer.class)) {
            send(whole);
            assertThat(log.lines()).isEmpty();
        }
        Set<String> parts = new TreeSet<>(whole.linked);
        parts.removeAll(EVERYWHERE);
        assertThat(parts).hasSizeGreaterThan(10);
        for (String part : parts) {
            try (CapturedLog log = new CapturedLog(BoundedProducer.class)) {
                send(new Application(KNOWN, Optional.of(part)));
                assertThat(log.lines())
                        .as("without " + part)
                        .singleElement()
                        .asString()
                        .contains(UNBOUNDED);
            }
        }
    }

    private static void send(Application application) throws Exception {
        try (FakeBroker broker = new FakeBroker(ServerSocketFactory.getDefault(), Integer.MAX_VALUE, new byte[0]);
                Producer<byte[], byte[]> producer = application.open(broker.address())) {
            assertThat(producer.send(new ProducerRecord<>(FakeBroker.TOPIC, new byte[] {1}))
                            .get(5, TimeUnit.MINUTES)
                            .offset())
                    .isEqualTo(1);
        }
    }

    /** Loads the classes of our package again, and lets them see a client with another version or without a class. */
    private static final class Application extends ClassLoader {

        private final String version;
        private final Optional<String> missing;

        /** The classes of the client that ours needed to open a producer. The client loads further ones on its own thread. */
        private final Set<String> linked = new ConcurrentSkipListSet<>();

        private final Thread opener = Thread.currentThread();

        Application(String version, Optional<String> missing) {
            super(BoundedProducer.class.getClassLoader());
            this.version = version;
            this.missing = missing;
        }

        @SuppressWarnings("unchecked")
        Producer<byte[], byte[]> open(String address) throws Exception {
            Properties properties = new Properties();
            properties.putAll(Map.of("bootstrap.servers", address, "client.id", "test", "max.block.ms", "60000"));
            Consumer<String> oversized = sentence -> {};
            return (Producer<byte[], byte[]>) loadClass(BoundedProducer.class.getName())
                    .getMethod("open", Properties.class, Consumer.class)
                    .invoke(null, properties, oversized);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                // The version is read from a file by a class that is loaded here, too.
                if (name.startsWith(OURS) || name.equals(AppInfoParser.class.getName())) {
                    byte[] bytes = bytes(name.replace('.', '/') + ".class");
                    return defineClass(name, bytes, 0, bytes.length);
                }
                if (missing.filter(name::equals).isPresent()) {
                    throw new ClassNotFoundException(name);
                }
                if (name.startsWith("org.apache.kafka.") && Thread.currentThread() == opener) {
                    linked.add(name);
                }
                return super.loadClass(name, resolve);
            }
        }

        private byte[] bytes(String file) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(file)) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(file, e);
            }
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            return name.equals("kafka/kafka-version.properties")
                    ? new ByteArrayInputStream(("version=" + version).getBytes(StandardCharsets.US_ASCII))
                    : super.getResourceAsStream(name);
        }
    }
}
