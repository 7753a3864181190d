package io.sluice.center.identity;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A server that speaks just enough LDAP to answer a search in ways that no directory should. */
final class RawDirectory implements AutoCloseable {

    /** How a search is answered. */
    enum Way {
        /** Entries without an end. */
        ENTRIES,
        /** One entry without an end. */
        VALUE,
        /** An entry at each {@link RawDirectory#next}. */
        SLOWLY,
        /** Not at all; not even the sign-in of the search is answered. */
        FROZEN,
        /** No entry. */
        NOBODY
    }

    /** The end of an answer without an end, so that a test can fail in another way than by running out of memory. */
    private static final long LARGE = 64_000_000;

    private static final int BIND = 0x60;
    private static final int SEARCH = 0x63;
    private static final int UNBIND = 0x42;

    private final ServerSocket listening;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger searches = new AtomicInteger();
    private final Semaphore entries = new Semaphore(0);
    private volatile Way way;

    private RawDirectory(Way way) throws IOException {
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.way = way;
    }

    static RawDirectory open(Way way) throws IOException {
        RawDirectory directory = new RawDirectory(way);
        daemon(directory::accept);
        return directory;
    }

    int port() {
        return listening.getLocalPort();
    }

    void answer(Way other) {
        way = other;
    }

    /** Sends the next entry of a slow answer. */
    void next() {
        entries.release();
    }

    long sent() {
        return sent.get();
    }

    int connections() {
        return connections.get();
    }

    int searches() {
        return searches.get();
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                connections.incrementAndGet();
                daemon(() -> serve(client));
            } catch (IOException e) {
                // It ends.
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()))) {
            OutputStream out = client.getOutputStream();
            while (true) {
                byte[] message = message(in);
                int id = message[2];
                int operation = message[3] & 0xff;
                if (operation == UNBIND) {
                    return;
                }
                Way now = way;
                if (now != Way.FROZEN && operation == BIND) {
                    send(out, done(id, 0x61));
                } else if (now != Way.FROZEN && operation == SEARCH) {
                    searches.incrementAndGet();
                    answer(out, id, now);
                }
            }
        } catch (IOException e) {
            // The client has gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(OutputStream out, int id, Way now) throws IOException, InterruptedException {
        switch (now) {
            case ENTRIES -> {
                byte[] entry = entry(id);
                byte[] many = new byte[entry.length * 1_000];
                for (int i = 0; i < 1_000; i++) {
                    System.arraycopy(entry, 0, many, i * entry.length, entry.length);
                }
                while (sent.get() < LARGE) {
                    send(out, many);
                }
            }
            case VALUE -> {
                send(out, new byte[] {0x30, (byte) 0x84, 0x7f, 0, 0, 0, 2, 1, (byte) id, 0x64});
                byte[] many = "a".repeat(64_000).getBytes(StandardCharsets.US_ASCII);
                while (sent.get() < LARGE) {
                    send(out, many);
                }
            }
            case SLOWLY -> {
                while (true) {
                    entries.acquire();
                    send(out, entry(id));
                }
            }
            default -> send(out, done(id, 0x65));
        }
    }

    private void send(OutputStream out, byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        sent.addAndGet(bytes.length);
    }

    private static byte[] message(DataInputStream in) throws IOException {
        int unused = in.readUnsignedByte();
        int length = in.readUnsignedByte();
        if (length > 0x80) {
            int bytes = length - 0x80;
            length = 0;
            for (int i = 0; i < bytes; i++) {
                length = length << 8 | in.readUnsignedByte();
            }
        }
        byte[] content = new byte[length];
        in.readFully(content);
        return content;
    }

    private static byte[] done(int id, int operation) {
        return new byte[] {0x30, 12, 2, 1, (byte) id, (byte) operation, 7, 0x0a, 1, 0, 4, 0, 4, 0};
    }

    /** An entry without attributes. */
    private static byte[] entry(int id) {
        byte[] name = "uid=x,o=y".getBytes(StandardCharsets.US_ASCII);
        byte[] entry = new byte[11 + name.length];
        byte[] head = {
            0x30, (byte) (9 + name.length), 2, 1, (byte) id, 0x64, (byte) (4 + name.length), 4, (byte) name.length
        };
        System.arraycopy(head, 0, entry, 0, head.length);
        System.arraycopy(name, 0, entry, head.length, name.length);
        entry[head.length + name.length] = 0x30;
        return entry;
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
