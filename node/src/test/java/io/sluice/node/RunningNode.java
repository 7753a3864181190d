package io.sluice.node;

import static org.awaitility.Awaitility.await;

import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.runtime.Store;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A started node on a free port, with a client. */
public final class RunningNode implements AutoCloseable {

    public final Node node;
    final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(60))
            .build();

    private RunningNode(Node node) {
        this.node = node;
    }

    public static RunningNode withRules(String rules) throws StartFailedException {
        return start(NodeConfig.inProcess(new RulesFrom.Text("test.yaml", rules), 0), Store::redis);
    }

    static RunningNode of(Node node) {
        return new RunningNode(node);
    }

    public static RunningNode start(NodeConfig config, Store.Opener opener) throws StartFailedException {
        return new RunningNode(Node.start(config, opener, () -> {}, () -> 0));
    }

    /** Starts a node and waits until it has reached Redis; on a busy machine it may start without. */
    public static RunningNode onRedis(NodeConfig config) throws StartFailedException {
        RunningNode node = start(config, Store::redis);
        await().until(() -> node.node.degraded().isEmpty());
        return node;
    }

    public HttpResponse<String> check(String body) {
        return send(request("/v1/check").POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    CompletableFuture<HttpResponse<String>> checkAsync(String body) {
        return client.sendAsync(
                request("/v1/check")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> get(String path) {
        return send(request(path).GET());
    }

    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.apiPort() + path))
                .timeout(Duration.ofSeconds(60));
    }

    public HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
