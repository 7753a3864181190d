package io.sluice.benchmarks.doors;

import io.sluice.benchmarks.doors.OpenLoop.Outcome;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;

/**
 * A connection to a server on this machine. It implements only the part of a protocol that one kind of request needs, and sends
 * prepared bytes. A client that does more takes CPU time away from the server it measures. One thread sends and one receives.
 */
abstract class Wire {

    private static final int BUFFER = 256 * 1024;

    final SocketChannel channel;

    /** Bytes that were received and are not parsed yet, from 0 to the position. */
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER);

    private final Semaphore free;

    /** @param most the maximum number of requests in flight */
    Wire(int port, int most) throws IOException {
        this.free = new Semaphore(most);
        this.channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
    }

    /** Reserves room for a request, and returns whether there was room. */
    final boolean take() {
        return free.tryAcquire();
    }

    abstract void send(long number, Outcome outcome) throws IOException;

    /** Parses the complete messages at the start of the buffer, and moves its position behind them. */
    abstract void read(ByteBuffer bytes) throws IOException;

    /** Reads and parses the bytes that have arrived. */
    final void receive() throws IOException {
        if (channel.read(in) < 0) {
            throw new EOFException("the server closed a connection");
        }
        in.flip();
        read(in);
        in.compact();
    }

    final void answered(Outcome outcome, boolean well) {
        free.release();
        outcome.answered(well);
    }

    final synchronized void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                Thread.onSpinWait();
            }
        }
    }
}
