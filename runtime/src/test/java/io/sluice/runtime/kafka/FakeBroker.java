package io.sluice.runtime.kafka;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponseCollection;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/** A broker with one topic of one partition. It answers some requests as a broker does, and the next with other bytes. */
final class FakeBroker implements AutoCloseable {

    static final String TOPIC = "t";

    /** The newest versions that are answered: those before Kafka had ids of topics. */
    private static final Map<ApiKeys, Short> VERSIONS = Map.of(
            ApiKeys.API_VERSIONS, (short) 3,
            ApiKeys.SASL_HANDSHAKE, (short) 1,
            ApiKeys.SASL_AUTHENTICATE, (short) 2,
            ApiKeys.METADATA, (short) 9,
            ApiKeys.INIT_PRODUCER_ID, (short) 4,
            ApiKeys.PRODUCE, (short) 9);

    private final ServerSocket server;
    private final AtomicInteger honest;
    private final byte[] otherwise;
    private final AtomicInteger signIns = new AtomicInteger();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /**
     * Starts.
     *
     * @param honest how many requests are answered as a broker does
     * @param otherwise what is sent then, with zeros behind it until the client closes the connection
     */
    FakeBroker(ServerSocketFactory sockets, int honest, byte[] otherwise) throws IOException {
        this.server = sockets.createServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        this.honest = new AtomicInteger(honest);
        this.otherwise = otherwise;
        start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "fake-broker");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                start(() -> serve(socket));
            } catch (IOException e) {
                // Closed, or a client that left.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            while (true) {
                ByteBuffer request = ByteBuffer.wrap(in.readNBytes(in.readInt()));
                if (honest.getAndDecrement() <= 0) {
                    out.write(otherwise);
                    while (true) {
                        out.write(new byte[65_536]);
                    }
                }
                RequestHeader header = RequestHeader.parse(request);
                ByteBuffer answer = RequestUtils.serialize(
                        header.toResponseHeader().data(),
                        header.toResponseHeader().headerVersion(),
                        answer(header.apiKey()),
                        header.apiVersion());
                out.write(ByteBuffer.allocate(Integer.BYTES)
                        .putInt(answer.remaining())
                        .array());
                out.write(answer.array(), answer.arrayOffset() + answer.position(), answer.remaining());
            }
        } catch (IOException e) {
            // The client closed the connection.
        } finally {
            open.remove(socket);
        }
    }

    private ApiMessage answer(ApiKeys asked) {
        return switch (asked) {
            case API_VERSIONS -> versions();
            case SASL_HANDSHAKE -> new SaslHandshakeResponseData().setMechanisms(List.of("PLAIN"));
            // The next request finds the session ended, and the client signs in again on the same connection.
            case SASL_AUTHENTICATE ->
                new SaslAuthenticateResponseData().setSessionLifetimeMs(signIns.getAndIncrement() % 2 == 0 ? 1 : 0);
            case METADATA -> metadata();
            case INIT_PRODUCER_ID ->
                new InitProducerIdResponseData().setProducerId(7).setProducerEpoch((short) 0);
            case PRODUCE -> produced();
            default -> throw new IllegalArgumentException(asked.toString());
        };
    }

    private static ApiVersionsResponseData versions() {
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        VERSIONS.forEach((key, newest) -> data.apiKeys()
                .add(new ApiVersion()
                        .setApiKey(key.id)
                        .setMinVersion(key.oldestVersion())
                        .setMaxVersion(newest)));
        return data;
    }

    private MetadataResponseData metadata() {
        MetadataResponseData data = new MetadataResponseData().setClusterId("c").setControllerId(0);
        data.brokers()
                .add(new MetadataResponseBroker()
                        .setNodeId(0)
                        .setHost("127.0.0.1")
                        .setPort(server.getLocalPort()));
        data.topics()
                .add(new MetadataResponseTopic()
                        .setName(TOPIC)
                        .setPartitions(List.of(new MetadataResponsePartition()
                                .setPartitionIndex(0)
                                .setLeaderId(0)
                                .setLeaderEpoch(0)
                                .setReplicaNodes(List.of(0))
                                .setIsrNodes(List.of(0)))));
        return data;
    }

    private static ProduceResponseData produced() {
        TopicProduceResponseCollection topics = new TopicProduceResponseCollection();
        topics.add(new TopicProduceResponse()
                .setName(TOPIC)
                .setPartitionResponses(
                        List.of(new PartitionProduceResponse().setIndex(0).setBaseOffset(1))));
        return new ProduceResponseData().setResponses(topics);
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
