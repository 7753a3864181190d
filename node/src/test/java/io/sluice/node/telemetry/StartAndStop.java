package io.sluice.node.telemetry;

import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Starts a node with a gateway, sends a request with a trace through it, and stops it. */
public final class StartAndStop {

    private StartAndStop() {}

    public static void run() throws Exception {
        String rules = "rules: [{ id: a, limits: [{ by: ip, limit: 100, window: 1d }] }]";
        try (Node node = Node.start(
                NodeConfig.inProcess(new RulesFrom.Text("rules", rules), 0).withGateway(0, new RoutesFrom.Sample()))) {
            URI url = node.gateway().orElseThrow().resolve("/api/orders/7");
            int status = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(url)
                                    .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                                    .build(),
                            BodyHandlers.ofString())
                    .statusCode();
            if (status >= 500) {
                throw new IllegalStateException("status " + status);
            }
        }
    }
}
