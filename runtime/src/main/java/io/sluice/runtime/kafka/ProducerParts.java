package io.sluice.runtime.kafka;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.function.Consumer;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.MetadataRecoveryStrategy;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.internals.ProducerInterceptors;
import org.apache.kafka.clients.producer.internals.ProducerMetadata;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/** Builds a producer and its network client from parts that take a bound. Only the expected version of the client has all of them. */
final class ProducerParts {

    private ProducerParts() {}

    @SuppressWarnings("unchecked")
    static Producer<byte[], byte[]> bounded(ProducerConfig config, Consumer<String> oversized)
            throws ReflectiveOperationException {
        Constructor<?> constructor = KafkaProducer.class.getDeclaredConstructor(
                ProducerConfig.class,
                Serializer.class,
                Serializer.class,
                ProducerMetadata.class,
                KafkaClient.class,
                ProducerInterceptors.class,
                ApiVersions.class,
                Time.class);
        constructor.setAccessible(true);
        LogContext log = new LogContext("[" + config.getString(ProducerConfig.CLIENT_ID_CONFIG) + "] ");
        AnswerBound.load();
        ApiVersions versions = new ApiVersions();
        ProducerMetadata metadata = new ProducerMetadata(
                config.getLong(ProducerConfig.RETRY_BACKOFF_MS_CONFIG),
                config.getLong(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG),
                config.getLong(ProducerConfig.METADATA_MAX_AGE_CONFIG),
                config.getLong(ProducerConfig.METADATA_MAX_IDLE_CONFIG),
                log,
                new ClusterResourceListeners(),
                Time.SYSTEM);
        metadata.bootstrap(ClientUtils.parseAndValidateAddresses(config));
        NetworkClient client = client(config, log, versions, metadata, oversized);
        try {
            return (Producer<byte[], byte[]>)
                    constructor.newInstance(config, null, null, metadata, client, null, versions, Time.SYSTEM);
        } catch (InvocationTargetException e) {
            client.close();
            if (e.getCause() instanceof RuntimeException refused) {
                throw refused;
            }
            throw e;
        }
    }

    private static NetworkClient client(
            ProducerConfig config,
            LogContext log,
            ApiVersions versions,
            Metadata metadata,
            Consumer<String> oversized) {
        Selector selector = new Selector(
                config.getLong(ProducerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG),
                new Metrics(),
                Time.SYSTEM,
                "producer",
                BoundedChannels.of(config, log, oversized),
                log);
        return new NetworkClient(
                selector,
                metadata,
                config.getString(ProducerConfig.CLIENT_ID_CONFIG),
                config.getInt(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION),
                config.getLong(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG),
                config.getLong(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG),
                config.getInt(ProducerConfig.SEND_BUFFER_CONFIG),
                config.getInt(ProducerConfig.RECEIVE_BUFFER_CONFIG),
                config.getInt(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG),
                config.getLong(ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG),
                config.getLong(ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG),
                Time.SYSTEM,
                true,
                versions,
                log,
                config.getLong(CommonClientConfigs.METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG),
                MetadataRecoveryStrategy.forName(
                        config.getString(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG)));
    }
}
