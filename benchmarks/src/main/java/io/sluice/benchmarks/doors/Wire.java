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
 * A connection to a server of this machine. Speaks just as much of a protocol as one kind of request needs, in prepared bytes: a
 * client that does more takes from the server what it measures. One thread sends, one receives.
 */
abstract class Wire {

    private static final int BUFFER = 256 * 1024;

    final SocketChannel channel;

    /** What has come and is not read yet, from 0 to its position. */
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER);

    private final Semaphore free;

    /** @param most requests under way at the same time */
    Wire(int port, int most) throws IOException {
        this.free = new Semaphore(most);
        this.channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
    }

    /** Whether it has room for a request; then there is one less. */
    final boolean take() {
        return free.tryAcquire();
    }

    abstract void send(long number, Outcome outcome) throws IOException;

    /** Reads what is whole at the beginning of the buffer, and leaves its position after that. */
    abstract void read(ByteBuffer bytes) throws IOException;

    /** Something has come. */
    final void receive() throws IOException {
        if (channel.read(in) < 0) {
            throw new EOFException("the server has closed a connection");
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
