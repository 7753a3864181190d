package io.sluice.center.sink;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Syslog over UDP (RFC 5426), which does not confirm that a message arrived. */
final class SyslogDatagrams implements SyslogWire {

    private static final int MOST_BYTES = 8_192;

    private final URI address;
    private @Nullable DatagramSocket socket;

    SyslogDatagrams(URI address) {
        this.address = address;
    }

    @Override
    public int mostBytes() {
        return MOST_BYTES;
    }

    @Override
    public void send(List<byte[]> messages) throws IOException {
        DatagramSocket open = opened();
        for (byte[] message : messages) {
            open.send(new DatagramPacket(message, message.length));
        }
    }

    private synchronized DatagramSocket opened() throws IOException {
        DatagramSocket open = socket;
        if (open == null) {
            InetSocketAddress server = SyslogStream.server(address);
            open = new DatagramSocket();
            open.connect(server);
            socket = open;
        }
        return open;
    }

    @Override
    public synchronized void disconnect() {
        DatagramSocket open = socket;
        socket = null;
        if (open != null) {
            open.close();
        }
    }
}
