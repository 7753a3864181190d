package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts questions to a node before it says that it serves, because the first ones take longer than a decision may: classes are
 * loaded, code is compiled. They go the whole way, through the port, and only look.
 */
final class WarmUp {

    private static final int CONNECTIONS = 8;
    private static final int BATCH = 10;
    private static final int TIMEOUT_MILLIS = 2_000;

    private final InetSocketAddress address;
    private final List<byte[]> questions;
    private final Clock clock;

    /**
     * A warm-up with these requests.
     *
     * @param questions whole ones, of which the answers have a length
     */
    WarmUp(InetSocketAddress address, List<byte[]> questions, Clock clock) {
        this.address = address;
        this.questions = List.copyOf(questions);
        this.clock = clock;
    }

    /** One that asks for decisions by these rules. */
    static WarmUp ofRules(InetSocketAddress address, RuleSet rules, Clock clock) {
        List<byte[]> asked = new ArrayList<>();
        rules.rules().stream().limit(CONNECTIONS).forEach(rule -> asked.add(question(rule)));
        if (asked.isEmpty()) {
            asked.add(request("/", "GET", ""));
        }
        return new WarmUp(address, asked, clock);
    }

    /** Asks for so long; whatever goes wrong shows itself to the first caller, too, and is no reason not to serve. */
    void run(Duration span) {
        long until = clock.nanoTime() + span.toNanos();
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                Socket socket = new Socket();
                sockets.add(socket);
                socket.setSoTimeout(TIMEOUT_MILLIS);
                socket.connect(address, TIMEOUT_MILLIS);
            }
            while (clock.nanoTime() - until < 0) {
                for (int i = 0; i < sockets.size(); i++) {
                    byte[] question = questions.get(i % questions.size());
                    for (int n = 0; n < BATCH; n++) {
                        sockets.get(i).getOutputStream().write(question);
                    }
                }
                for (Socket socket : sockets) {
                    readAnswers(new BufferedInputStream(socket.getInputStream()), BATCH);
                }
            }
        } catch (IOException e) {
            // Nothing was asked that anybody waits for.
        } finally {
            for (Socket socket : sockets) {
                close(socket);
            }
        }
    }

    private static byte[] question(Rule rule) {
        String pattern = rule.scope().resource() == null
                ? "/"
                : String.valueOf(rule.scope().resource());
        String method = rule.scope().methods().stream().findFirst().orElse("GET");
        String service = rule.scope().service() == null ? "" : rule.scope().service();
        return request(pattern.replace("{", "").replace("}", "").replace("**", "x"), method, service);
    }

    private static byte[] request(String path, String method, String service) {
        String body = "{\"attributes\": {\"path\": \"" + plain(path) + "\", \"method\": \"" + plain(method)
                + "\", \"service\": \"" + plain(service) + "\", \"ip\": \"127.0.0.1\"}, \"permits\": 0}";
        return ("POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Without what would need escaping in JSON: the question need not be a good one. */
    private static String plain(String text) {
        return text.replaceAll("[\\\\\"\\p{Cntrl}]", "");
    }

    /** Reads so many answers and forgets them. */
    private static void readAnswers(InputStream in, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            int length = 0;
            for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
                if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
                    length = Integer.parseInt(line.substring(15).trim());
                }
            }
            in.skipNBytes(length);
        }
    }

    private static String readLine(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("closed");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }
}
