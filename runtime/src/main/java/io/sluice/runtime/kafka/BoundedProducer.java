package io.sluice.runtime.kafka;

import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.AppInfoParser;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens producers of Kafka that refuse answers of more than {@value #MAX_BYTES} bytes.
 *
 * <p>The client of Kafka reserves the length that a server announces, before anything shows that the server is a broker. It takes the
 * first four bytes of an HTTP server for a length of 1.2 GB, and it has no setting for a bound. So this class builds the network
 * client of the producer from public parts that take a bound, and hands it to the constructor that the tests of Kafka use. Other
 * versions of the client have other parts, and some of them would be missed only on the thread of the client. With such a version the
 * producer is opened without a bound and the log says so. This class itself names only what every version has.
 */
public final class BoundedProducer {

    /** Answers about one topic have about 50 bytes for each partition and broker. */
    static final int MAX_BYTES = 1 << 20;

    /** The versions of the client whose parts are known. */
    private static final String KNOWN = "4.1.";

    private static final Logger LOG = LoggerFactory.getLogger(BoundedProducer.class);

    private BoundedProducer() {}

    /**
     * Opens a producer with these properties.
     *
     * @param oversized takes a sentence about each answer that is refused, on the thread of the client
     * @throws org.apache.kafka.common.KafkaException if the client refuses the properties
     */
    public static Producer<byte[], byte[]> open(Properties properties, Consumer<String> oversized) {
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        String version = AppInfoParser.getVersion();
        if (version.startsWith(KNOWN)) {
            try {
                return ProducerParts.bounded(new ProducerConfig(properties), oversized);
            } catch (LinkageError | ReflectiveOperationException e) {
                LOG.debug("the client of Kafka lacks a part", e);
            }
        }
        LOG.warn(
                "answers of Kafka have no bound, because the parts of this version of its client are not known: {}"
                        + " (expected: {}x, with all its classes)",
                version,
                KNOWN);
        return new KafkaProducer<>(properties);
    }
}
