package io.sluice.runtime.kafka;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.network.InvalidReceiveException;
import org.apache.kafka.common.network.TransportLayer;

/** The bound of the answers on one connection. The thread of the client uses it. */
final class AnswerBound implements MemoryPool {

    private final SelectionKey key;
    private final Consumer<String> oversized;

    /** The number of bytes read of the next answer's length, followed by their value so far. */
    private int lengthBytes;

    private int length;

    /** The number of bytes of the present answer that have not arrived yet. */
    private int left;

    AnswerBound(SelectionKey key, Consumer<String> oversized) {
        this.key = key;
        this.oversized = oversized;
    }

    /** Loads the classes of the client that this class uses, so that a missing one is noticed before a producer is open. */
    static void load() {
        Objects.requireNonNull(InvalidReceiveException.class);
        Objects.requireNonNull(TransportLayer.class);
    }

    /** Returns a transport that checks the length of an answer before the client reads it, and refuses a length above the bound. */
    TransportLayer watched(TransportLayer real) {
        return (TransportLayer) Proxy.newProxyInstance(
                AnswerBound.class.getClassLoader(),
                new Class<?>[] {TransportLayer.class},
                (proxy, method, arguments) -> {
                    ByteBuffer into = method.getName().equals("read") ? (ByteBuffer) arguments[0] : null;
                    int from = into == null ? 0 : into.position();
                    try {
                        Object result = method.invoke(real, arguments);
                        if (into != null) {
                            watch(into, from);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void watch(ByteBuffer read, int from) {
        for (int at = from; at < read.position(); ) {
            if (left > 0) {
                int passed = Math.min(left, read.position() - at);
                left -= passed;
                at += passed;
                continue;
            }
            length = (length << 8) | (read.get(at++) & 0xff);
            if (++lengthBytes == Integer.BYTES) {
                check(length);
                left = length;
                length = 0;
                lengthBytes = 0;
            }
        }
    }

    private void check(int bytes) {
        if (bytes < 0 || bytes > BoundedProducer.MAX_BYTES) {
            String text = String.format(
                    Locale.ROOT,
                    "%s announces an answer of %,d bytes (expected: a broker of Kafka, with answers up to %,d bytes)",
                    server(),
                    bytes & 0xffff_ffffL,
                    BoundedProducer.MAX_BYTES);
            oversized.accept(text);
            throw new InvalidReceiveException(text);
        }
    }

    private String server() {
        try {
            return String.valueOf(((SocketChannel) key.channel()).getRemoteAddress());
        } catch (IOException e) {
            return "a server";
        }
    }

    @Override
    public ByteBuffer tryAllocate(int bytes) {
        check(bytes);
        return ByteBuffer.allocate(bytes);
    }

    @Override
    public void release(ByteBuffer buffer) {}

    @Override
    public long size() {
        return Long.MAX_VALUE;
    }

    @Override
    public long availableMemory() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean isOutOfMemory() {
        return false;
    }
}
