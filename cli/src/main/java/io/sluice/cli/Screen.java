package io.sluice.cli;

import io.sluice.node.Node;
import io.sluice.node.NodeConfig;
import io.sluice.node.NodeConfig.RulesFrom;
import java.io.PrintWriter;

/** What a person sees when a node has started. */
final class Screen {

    private Screen() {}

    static void show(PrintWriter out, Node node, NodeConfig config) {
        String base = "http://" + host(config.host()) + ":" + node.apiPort();
        int count = node.rules().rules().size();
        out.println();
        out.println("Sluice " + Main.Version.text());
        out.println();
        out.println("  decisions   POST " + base + "/v1/check");
        node.grpcPort().ifPresent(port -> out.println("  envoy       grpc " + host(config.host()) + ":" + port));
        out.println("  health      GET  " + base + "/health");
        out.println("  metrics     GET  " + base + "/metrics");
        out.println("  rules       " + source(config.rules()) + ": " + count + (count == 1 ? " rule" : " rules")
                + ", version " + node.rules().version() + (node.hasKeptRules() ? ", kept from the last run" : ""));
        out.println("  engine      " + engine(node, config));
        out.println();
        out.println(
                config.rules() instanceof RulesFrom.Text
                        ? "Try it; the sixth time within a minute it says 429:"
                        : "Try it:");
        out.println();
        out.println("  curl -i " + base + "/v1/check -d '{\"attributes\": {\"service\": \"user-service\","
                + " \"path\": \"/api/login\", \"method\": \"POST\", \"ip\": \"203.0.113.7\"}}'");
        out.println();
        out.println("Ctrl-C stops it.");
        out.flush();
    }

    private static String host(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    private static String source(RulesFrom rules) {
        if (rules instanceof RulesFrom.File file) {
            return file.path().toString();
        }
        if (rules instanceof RulesFrom.Store) {
            return "from Redis";
        }
        return rules instanceof RulesFrom.Text text ? text.name() : "none, everything is allowed";
    }

    private static String engine(Node node, NodeConfig config) {
        if (config.redisUri().isEmpty()) {
            return "in process";
        }
        String uri = config.redisUri().get().replaceAll("//[^/]*@", "//***@");
        if (!node.findings().isEmpty()) {
            return uri + "; " + String.join("; ", node.findings());
        }
        return uri
                + node.degraded()
                        .map(why -> ", not there yet (" + why + "): on_failure decides")
                        .orElse("");
    }
}
