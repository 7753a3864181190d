package io.sluice.runtime.kafka;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.network.ChannelBuilder;
import org.apache.kafka.common.network.ChannelMetadataRegistry;
import org.apache.kafka.common.network.ConnectionMode;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.network.SaslChannelBuilder;
import org.apache.kafka.common.network.TransportLayer;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * Builds the connections of a producer, each with an {@link AnswerBound}. A connection takes the memory for an answer from a pool. Only
 * the SASL authenticator takes it from elsewhere; so with SASL the bytes are watched on their way to it.
 */
final class BoundedChannels implements ChannelBuilder {

    private final ChannelBuilder real;
    private final Consumer<String> oversized;

    private BoundedChannels(ChannelBuilder real, Consumer<String> oversized) {
        this.real = real;
        this.oversized = oversized;
    }

    static ChannelBuilder of(ProducerConfig config, LogContext log, Consumer<String> oversized) {
        SecurityProtocol protocol =
                SecurityProtocol.forName(config.getString(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG));
        boolean sasl = protocol == SecurityProtocol.SASL_PLAINTEXT || protocol == SecurityProtocol.SASL_SSL;
        return new BoundedChannels(
                sasl
                        ? BoundedSasl.of(config, protocol, log, oversized)
                        : ClientUtils.createChannelBuilder(config, Time.SYSTEM, log),
                oversized);
    }

    @Override
    public KafkaChannel buildChannel(
            String id, SelectionKey key, int maxBytes, MemoryPool memory, ChannelMetadataRegistry registry) {
        return real.buildChannel(id, key, maxBytes, new AnswerBound(key, oversized), registry);
    }

    @Override
    public void configure(Map<String, ?> configs) {
        real.configure(configs);
    }

    @Override
    public void close() {
        real.close();
    }

    private static final class BoundedSasl extends SaslChannelBuilder {

        private final Consumer<String> oversized;

        private BoundedSasl(
                Map<String, ?> configs,
                String mechanism,
                SecurityProtocol protocol,
                LogContext log,
                Consumer<String> oversized) {
            super(
                    ConnectionMode.CLIENT,
                    Map.of(mechanism, JaasContext.loadClientContext(configs)),
                    protocol,
                    null,
                    false,
                    mechanism,
                    null,
                    null,
                    null,
                    Time.SYSTEM,
                    log,
                    null);
            this.oversized = oversized;
        }

        @SuppressWarnings("unchecked")
        static ChannelBuilder of(
                ProducerConfig config, SecurityProtocol protocol, LogContext log, Consumer<String> oversized) {
            Map<String, Object> configs = (Map<String, Object>) config.values();
            config.originals().forEach(configs::putIfAbsent);
            BoundedSasl sasl =
                    new BoundedSasl(configs, config.getString(SaslConfigs.SASL_MECHANISM), protocol, log, oversized);
            sasl.configure(configs);
            return sasl;
        }

        @Override
        protected TransportLayer buildTransportLayer(
                String id, SelectionKey key, SocketChannel socket, ChannelMetadataRegistry registry)
                throws IOException {
            return new AnswerBound(key, oversized).watched(super.buildTransportLayer(id, key, socket, registry));
        }
    }
}
