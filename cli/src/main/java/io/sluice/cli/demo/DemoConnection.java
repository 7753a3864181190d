package io.sluice.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Sends one request over a connection of its own, from a chosen address of this machine. The HTTP client of the JDK cannot choose the
 * address.
 */
final class DemoConnection {

    private static final int ANSWERED_WITHIN_MILLIS = 5_000;
    private static final String BODY = "{}";

    private DemoConnection() {}

    /** Sends a request and reads its answer to the end. */
    static void send(URI gateway, Optional<InetAddress> source, DemoRequest request) throws IOException {
        try (Socket socket = new Socket()) {
            if (source.isPresent()) {
                socket.bind(new InetSocketAddress(source.get(), 0));
            }
            socket.setSoTimeout(ANSWERED_WITHIN_MILLIS);
            String host = gateway.getHost().replaceAll("[\\[\\]]", "");
            socket.connect(new InetSocketAddress(host, gateway.getPort()), ANSWERED_WITHIN_MILLIS);
            OutputStream out = socket.getOutputStream();
            out.write(text(gateway, request).getBytes(StandardCharsets.US_ASCII));
            out.flush();
            InputStream in = socket.getInputStream();
            in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static String text(URI gateway, DemoRequest request) {
        StringBuilder text = new StringBuilder(request.method() + " " + request.path() + " HTTP/1.1\r\n");
        header(text, "host", gateway.getAuthority());
        header(text, "connection", "close");
        header(text, "user-agent", "sluice-demo");
        header(text, "x-forwarded-for", request.address());
        request.headers().forEach((name, value) -> header(text, name, value));
        if (request.method().equals("POST")) {
            header(text, "content-type", "application/json");
            header(text, "content-length", Integer.toString(BODY.length()));
            return text + "\r\n" + BODY;
        }
        return text + "\r\n";
    }

    private static void header(StringBuilder text, String name, String value) {
        text.append(name).append(": ").append(value).append("\r\n");
    }
}
