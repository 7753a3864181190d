package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Calls the API of a running center with its token. */
record CenterCalls(String address, Path tokenFile, String token) {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Reads from the output of a center where it is and what its token is. */
    static CenterCalls of(SluiceProcess center) throws Exception {
        String address = center.awaitText("center +GET +(http://127\\.0\\.0\\.1:\\d+)/");
        Path tokenFile = Path.of(center.awaitText("token +(/\\S+)"));
        return new CenterCalls(address, tokenFile, Files.readString(tokenFile).strip());
    }

    String get(String path) {
        return send(HttpRequest.newBuilder(URI.create(address + path)), 200);
    }

    String post(String path, String json, int status) {
        return send(
                HttpRequest.newBuilder(URI.create(address + path)).POST(HttpRequest.BodyPublishers.ofString(json)),
                status);
    }

    String delete(String path) {
        return send(HttpRequest.newBuilder(URI.create(address + path)).DELETE(), 200);
    }

    /**
     * Releases a change of one rule. Returns the rollout.
     *
     * @param to who gets it, as JSON
     */
    String release(long base, String rule, String to) {
        String change = post(
                "/api/changes",
                "{\"title\":\"a change\",\"reason\":\"test\",\"base\":" + base + ",\"edits\":[{\"put\":" + rule + "}]}",
                201);
        return post(
                "/api/changes/" + found("\"id\":(\\d+)", change) + "/release",
                "{\"digest\":\"" + found("\"digest\":\"([0-9a-f]{64})\"}$", change) + "\",\"to\":" + to + "}",
                202);
    }

    int liveNodes() {
        return get("/api/nodes").split("\"live\":true", -1).length - 1;
    }

    private String send(HttpRequest.Builder request, int status) {
        try {
            HttpResponse<String> response = HTTP.send(
                    request.header("Authorization", "Bearer " + token).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
            return response.body();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static String found(String pattern, String text) {
        Matcher found = Pattern.compile(pattern).matcher(text);
        assertThat(found.find()).as(pattern + " in " + text).isTrue();
        return found.group(1);
    }
}
