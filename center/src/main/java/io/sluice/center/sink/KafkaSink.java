package io.sluice.center.sink;

import io.sluice.runtime.kafka.BoundedProducer;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends to a topic of Kafka and waits until all replicas in sync have it. The id of the log is the key, so that all rows are in
 * one partition, in their order. Records have the time of sending, because brokers refuse times that they take for wrong, and a
 * refused row would hold all others up. The client lives only while the brokers answer: otherwise it would try again and log forever.
 */
final class KafkaSink implements Sink {

    /** Less than what brokers accept unless configured otherwise. */
    private static final int MOST_BYTES = 900_000;

    private static final int LEAST_BYTES = 10_000;

    private final AuditSink.Kafka settings;
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private int mostBytes = MOST_BYTES;

    /** The error of an answer that exceeded its bound since {@link #send} started; null if every answer has been within its bound. */
    private volatile @Nullable String oversized;

    KafkaSink(AuditSink.Kafka settings) {
        this.settings = settings;
    }

    @Override
    public void send(List<SinkMessage> messages) throws IOException {
        oversized = null;
        try {
            Producer<byte[], byte[]> open = opened();
            // Without this, each message would wait for brokers that do not answer.
            int unused = open.partitionsFor(settings.topic()).size();
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (SinkMessage message : messages) {
                Future<RecordMetadata> next = open.send(new ProducerRecord<>(
                        settings.topic(), message.log().getBytes(StandardCharsets.US_ASCII), message.bytes(mostBytes)));
                if (next.isDone()) {
                    require(next);
                }
                sent.add(next);
            }
            open.flush();
            for (Future<RecordMetadata> each : sent) {
                require(each);
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RecordTooLargeException) {
                mostBytes = Math.max(LEAST_BYTES, mostBytes / 2);
            }
            throw new IOException(why(String.valueOf(e.getCause())), e);
        } catch (KafkaException e) {
            throw new IOException(why(e.getCause() == null ? e.toString() : e.getMessage() + ": " + e.getCause()), e);
        } catch (IllegalStateException e) {
            throw new IOException("the brokers took too long", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The client itself only reports a timeout. */
    private String why(String otherwise) {
        String sentence = oversized;
        return sentence == null ? otherwise : sentence;
    }

    private static void require(Future<RecordMetadata> sent) throws ExecutionException, InterruptedException {
        RecordMetadata unused = sent.get();
    }

    @Override
    public void disconnect() {
        Producer<byte[], byte[]> open = producer;
        producer = null;
        if (open != null) {
            open.close(Duration.ZERO);
        }
    }

    private Producer<byte[], byte[]> opened() throws IOException {
        Producer<byte[], byte[]> open = producer;
        if (open == null) {
            open = producer(properties());
            producer = open;
        }
        return open;
    }

    /** The messages of the client repeat properties, which may be secrets. */
    private Producer<byte[], byte[]> producer(Properties properties) throws IOException {
        try {
            return BoundedProducer.open(properties, sentence -> oversized = sentence);
        } catch (KafkaException e) {
            String why = String.valueOf(
                    e.getCause() == null ? e.getMessage() : e.getCause().getMessage());
            throw new IOException(
                    why.startsWith("No resolvable bootstrap urls")
                            ? "no server has an address"
                            : "the client refuses its properties"
                                    + settings.properties()
                                            .map(file -> " in " + file)
                                            .orElse(""),
                    e);
        }
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
        properties.put(ProducerConfig.CLIENT_ID_CONFIG, "sluice-center-audit-" + settings.topic());
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
        properties.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, "5000");
        properties.putIfAbsent(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "10000");
        properties.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "20000");
        properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, "5");
        properties.putIfAbsent(ProducerConfig.BUFFER_MEMORY_CONFIG, "16777216");
        return properties;
    }
}
