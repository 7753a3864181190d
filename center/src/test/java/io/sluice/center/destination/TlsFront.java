package io.sluice.center.destination;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Protects a mail server that speaks no TLS: from the first byte, or after the command STARTTLS, which it understands itself.
 * Everything that comes through TLS goes to the server.
 */
final class TlsFront implements AutoCloseable {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private final ServerSocket listening;
    private final int server;
    private final boolean isStartTls;
    private final SSLContext tls;

    /** What clients sent before TLS was in place. */
    private final List<String> plain = new CopyOnWriteArrayList<>();

    private volatile boolean isAway;

    private TlsFront(int server, boolean isStartTls, SSLContext tls) throws IOException {
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.server = server;
        this.isStartTls = isStartTls;
        this.tls = tls;
    }

    /**
     * Starts it.
     *
     * @param keys a PKCS #12 file
     * @param server the port of the mail server
     */
    static TlsFront start(Path keys, int server, boolean isStartTls) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD);
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, PASSWORD);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        TlsFront front = new TlsFront(server, isStartTls, tls);
        daemon(front::accept);
        return front;
    }

    int port() {
        return listening.getLocalPort();
    }

    List<String> plain() {
        return plain;
    }

    /** While it is away, it ends every connection at once. */
    void setAway(boolean away) {
        isAway = away;
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                if (isAway) {
                    client.close();
                    continue;
                }
                daemon(() -> serve(client));
            } catch (IOException e) {
                // It ends.
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket behind = new Socket(InetAddress.getLoopbackAddress(), server)) {
            if (isStartTls) {
                converse(client);
                // The client has seen a greeting before.
                String unused = line(behind.getInputStream());
            }
            SSLSocket safe =
                    (SSLSocket) tls.getSocketFactory().createSocket(client, "localhost", client.getPort(), true);
            safe.setUseClientMode(false);
            safe.startHandshake();
            Thread back = daemon(() -> copy(behind, safe));
            copy(safe, behind);
            back.join();
        } catch (IOException e) {
            // The client has gone, or does not trust this server.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void converse(Socket client) throws IOException {
        OutputStream out = client.getOutputStream();
        say(out, "220 front");
        while (true) {
            String command = line(client.getInputStream());
            plain.add(command);
            String upper = command.toUpperCase(Locale.ROOT);
            if (upper.startsWith("EHLO")) {
                say(out, "250-front\r\n250 STARTTLS");
            } else if (upper.equals("STARTTLS")) {
                say(out, "220 go ahead");
                return;
            } else {
                say(out, "530 STARTTLS first");
            }
        }
    }

    private static void say(OutputStream out, String text) throws IOException {
        out.write((text + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the end");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.US_ASCII).strip();
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One of them has gone.
        } finally {
            try {
                to.close();
            } catch (IOException e) {
                // It has gone, too.
            }
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "tls-front");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
