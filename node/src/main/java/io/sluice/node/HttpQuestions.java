package io.sluice.node;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Requests that pass through a whole port, for {@link WarmUp}. They are sent over plain sockets, because a client library would itself
 * have to be loaded and compiled in the same short time.
 *
 * @param requests complete requests whose answers have a known length
 */
record HttpQuestions(InetSocketAddress address, List<String> requests) {

    private static final int CONNECTIONS = 8;
    private static final int BATCH = 10;

    /**
     * Longer than a busy machine needs. Closing a connection while the server works on its request causes an error there, and
     * {@link WarmUp} limits the wait of the start anyway.
     */
    private static final int TIMEOUT_MILLIS = 60_000;

    /** Returns requests that look at the limits of these rules, with separate keys, and charge nothing. */
    static HttpQuestions ofRules(InetSocketAddress address, RuleSet rules) {
        List<String> requests = new ArrayList<>();
        rules.rules().stream().limit(CONNECTIONS).forEach(rule -> requests.add(check(rule)));
        return new HttpQuestions(
                address, requests.isEmpty() ? List.of(check(Map.of("path", "/", "method", "GET"))) : requests);
    }

    /** Returns the same requests with a token. */
    HttpQuestions withToken(String token) {
        String header = "\r\nAuthorization: Bearer " + token + "\r\n";
        return new HttpQuestions(
                address,
                requests.stream()
                        .map(request -> request.replaceFirst("\r\n", header))
                        .toList());
    }

    /** Sends the requests while {@code more} is true. */
    void ask(BooleanSupplier more) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        List<BufferedReader> answers = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                Socket socket = new Socket();
                sockets.add(socket);
                socket.setSoTimeout(TIMEOUT_MILLIS);
                socket.connect(address, TIMEOUT_MILLIS);
                answers.add(new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1)));
            }
            while (more.getAsBoolean()) {
                for (int i = 0; i < CONNECTIONS; i++) {
                    byte[] request = requests.get(i % requests.size()).getBytes(StandardCharsets.UTF_8);
                    for (int n = 0; n < BATCH; n++) {
                        sockets.get(i).getOutputStream().write(request);
                    }
                }
                for (BufferedReader each : answers) {
                    for (int n = 0; n < BATCH; n++) {
                        skipAnswer(each);
                    }
                }
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static void skipAnswer(BufferedReader in) throws IOException {
        int length = 0;
        for (String line = in.readLine(); line == null || !line.isEmpty(); line = in.readLine()) {
            if (line == null) {
                throw new EOFException("closed");
            }
            if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
                length = Integer.parseInt(line.substring(15).trim());
            }
        }
        if (in.skip(length) < length) {
            throw new EOFException("closed");
        }
    }

    private static String check(Rule rule) {
        String pattern = rule.scope().resource() == null
                ? "/"
                : String.valueOf(rule.scope().resource());
        String method = rule.scope().methods().stream().findFirst().orElse("GET");
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put(
                "service", rule.scope().service() == null ? "" : rule.scope().service());
        attributes.put("path", pattern.replace("{", "").replace("}", "").replace("**", "x"));
        attributes.put("method", method);
        attributes.put("ip", "127.0.0.1");
        rule.scope().match().values().forEach(condition -> condition.values().stream()
                .findFirst()
                .ifPresent(value -> attributes.put(condition.attribute(), value)));
        rule.limits().stream()
                .flatMap(limit -> limit.by().stream())
                .forEach(by -> attributes.putIfAbsent(by.attribute(), "warm-up"));
        return check(attributes);
    }

    private static String check(Map<String, String> attributes) {
        String members = attributes.entrySet().stream()
                .map(each -> "\"" + plain(each.getKey()) + "\":\"" + plain(each.getValue()) + "\"")
                .collect(Collectors.joining(","));
        String body = "{\"attributes\":{" + members + "},\"permits\":0}";
        return "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body;
    }

    /** Drops all characters that JSON would have to escape; the request need not be meaningful. */
    private static String plain(String text) {
        return text.replaceAll("[\\\\\"\\p{Cntrl}]", "");
    }
}
