package io.sluice.runtime.decisions;

import io.sluice.runtime.kafka.BoundedProducer;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends decisions to a topic of Kafka, each as a record without a key. Records wait in a bounded buffer while brokers are away; if they
 * wait too long, they are dropped and counted. Answers arrive on a thread of the client.
 */
final class KafkaTopic implements DecisionPlace {

    private static final Logger LOG = LoggerFactory.getLogger(KafkaTopic.class);
    private static final Duration LAST_MAY_TAKE = Duration.ofSeconds(2);

    private final DecisionSettings.Kafka settings;
    private final PlaceCounts counts;
    private @Nullable Producer<byte[], byte[]> producer;
    private boolean closed;

    /** Guarded by this, because answers arrive on another thread. */
    private boolean failing;

    KafkaTopic(DecisionSettings.Kafka settings, PlaceCounts counts) {
        this.settings = settings;
        this.counts = counts;
    }

    @Override
    public void write(List<byte[]> lines) {
        boolean checked = false;
        for (int i = 0; i < lines.size(); i++) {
            try {
                if (!checked && isFailing()) {
                    // Without this, each line would wait for brokers that do not answer.
                    checked = !opened().partitionsFor(settings.topic()).isEmpty();
                }
                send(lines.get(i));
            } catch (IOException | KafkaException | IllegalStateException e) {
                counts.addDropped(lines.size() - i);
                failed(e instanceof IOException ? e.getMessage() : e.getClass().getSimpleName());
                return;
            }
        }
    }

    private synchronized boolean isFailing() {
        return failing;
    }

    private void send(byte[] line) throws IOException {
        byte[] value = new byte[line.length - 1];
        System.arraycopy(line, 0, value, 0, value.length);
        var unused = opened().send(new ProducerRecord<>(settings.topic(), value), (at, problem) -> {
            if (problem == null) {
                counts.addLogged(1);
                arrived();
            } else {
                counts.addDropped(1);
                failed(problem.getClass().getSimpleName());
            }
        });
    }

    private synchronized void failed(@Nullable String why) {
        if (!failing) {
            failing = true;
            LOG.warn(
                    "decisions do not reach the topic {} of Kafka at {} ({}); they are dropped and counted until that changes",
                    settings.topic(),
                    settings.servers(),
                    why);
        }
    }

    private synchronized void arrived() {
        if (failing) {
            failing = false;
            LOG.info("decisions reach the topic {} of Kafka at {} again", settings.topic(), settings.servers());
        }
    }

    private Producer<byte[], byte[]> opened() throws IOException {
        Producer<byte[], byte[]> open = producer;
        if (closed) {
            throw new IOException("closed");
        }
        if (open == null) {
            Properties properties = properties();
            try {
                open = BoundedProducer.open(properties, this::failed);
            } catch (KafkaException e) {
                // The message of the client may repeat properties, which may be secrets.
                throw new IOException("the client refuses its servers or properties", e);
            }
            producer = open;
        }
        return open;
    }

    private Properties properties() throws IOException {
        Properties properties = new Properties();
        if (settings.properties().isPresent()) {
            Path file = settings.properties().get();
            try (Reader text = Files.newBufferedReader(file)) {
                properties.load(text);
            } catch (IOException | IllegalArgumentException e) {
                throw new IOException(file + " cannot be read", e);
            }
        }
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.servers());
        properties.putIfAbsent(ProducerConfig.CLIENT_ID_CONFIG, "sluice-decisions");
        properties.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, "1000");
        properties.putIfAbsent(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "10000");
        properties.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "20000");
        properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, "20");
        properties.putIfAbsent(ProducerConfig.BUFFER_MEMORY_CONFIG, "16777216");
        properties.putIfAbsent(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "5000");
        return properties;
    }

    @Override
    public void close() {
        closed = true;
        Producer<byte[], byte[]> open = producer;
        producer = null;
        if (open != null) {
            open.close(LAST_MAY_TAKE);
        }
    }
}
