package io.sluice.examples.flashsale;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A connection that is kept alive, with at most one request in flight. Understands as much of HTTP/1.1 as the shop uses. Not
 * thread-safe.
 */
final class Connection {

    private static final Pattern LENGTH =
            Pattern.compile("\r\ncontent-length: *([0-9]{1,6})\r\n", Pattern.CASE_INSENSITIVE);
    private static final Pattern RETRY = Pattern.compile("\r\nretry-after: *[0-9]+\r\n", Pattern.CASE_INSENSITIVE);
    private static final String END = "\r\n\r\n";

    private final Lane lane;
    private final SocketChannel channel;
    private final ByteBuffer in = ByteBuffer.allocate(16 * 1024);
    private long dueNanos;
    private boolean busy;

    Connection(Lane lane, int port, Selector selector) throws IOException {
        this.lane = lane;
        this.channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, this);
    }

    void send(byte[] request, long dueNanos) {
        this.dueNanos = dueNanos;
        busy = true;
        try {
            // A request is smaller than any send buffer, and the previous one has been answered.
            if (channel.write(ByteBuffer.wrap(request)) < request.length) {
                throw new IOException("only part of the request was sent");
            }
        } catch (IOException e) {
            fail();
        }
    }

    void read() {
        try {
            int count = channel.read(in);
            if (count < 0 || !in.hasRemaining()) {
                throw new IOException("the connection was closed");
            }
            String text = new String(in.array(), 0, in.position(), StandardCharsets.ISO_8859_1);
            int head = text.indexOf(END);
            int end = head + END.length() + length(text);
            if (head >= 0 && text.length() > end) {
                throw new IOException("more data than one response");
            }
            if (head >= 0 && text.length() == end) {
                in.clear();
                busy = false;
                int status = Integer.parseInt(text.substring(9, 12));
                lane.answered(this, status, RETRY.matcher(text).find(), dueNanos);
            }
        } catch (IOException | NumberFormatException e) {
            fail();
        }
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException("cannot close a socket: " + e.getMessage(), e);
        }
    }

    private void fail() {
        close();
        lane.broken(this, busy);
    }

    private static int length(String head) {
        Matcher length = LENGTH.matcher(head);
        return length.find() ? Integer.parseInt(length.group(1)) : 0;
    }
}
