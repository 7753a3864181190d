package io.sluice.node.gateway;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One end of a connection, byte by byte. */
public final class RawClient implements AutoCloseable {

    final Socket socket;
    private final InputStream in;

    public RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
    }

    /** Returns a head of these lines, with the empty line at the end. */
    public static String lines(String... lines) {
        return String.join("\r\n", lines) + "\r\n\r\n";
    }

    public RawClient send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** Reads a head with its empty line; empty if the other side closed the connection instead. */
    public String head() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int last = 0;
        while (last != 0x0d0a0d0a) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            bytes.write(next);
            last = last << 8 | next;
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    public String read(int bytes) throws IOException {
        return new String(in.readNBytes(bytes), StandardCharsets.ISO_8859_1);
    }

    /** Reads until the other side closes the connection. */
    public String rest() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Reads a head and its body, by length or in chunks, as they came. */
    public String message() throws IOException {
        String head = head();
        String small = head.toLowerCase(Locale.ROOT);
        int at = small.indexOf("\r\ncontent-length: ");
        if (at >= 0) {
            int from = at + "\r\ncontent-length: ".length();
            return head + read(Integer.parseInt(head.substring(from, head.indexOf('\r', from))));
        }
        if (small.contains("\r\ntransfer-encoding: chunked")) {
            StringBuilder all = new StringBuilder(head);
            while (true) {
                String line = line();
                all.append(line);
                int size = Integer.parseInt(line.strip(), 16);
                if (size == 0) {
                    String trailer;
                    do {
                        trailer = line();
                        all.append(trailer);
                    } while (!trailer.equals("\r\n"));
                    return all.toString();
                }
                all.append(read(size + 2));
            }
        }
        return head;
    }

    /** Returns whether the other side has closed the connection, with nothing more to read. */
    public boolean isClosed() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.length() < 2 || line.charAt(line.length() - 1) != '\n') {
            int next = in.read();
            if (next < 0) {
                throw new IOException("closed in the middle of " + line);
            }
            line.append((char) next);
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
