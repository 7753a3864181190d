package io.sluice.node.gateway;

import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import java.nio.file.Files;
import java.nio.file.Path;

/** A whole node whose gateway forwards everything to one upstream. */
public record RunningGateway(Node node) implements AutoCloseable {

    public static RunningGateway start(Path folder, String rules, String upstream) throws Exception {
        return new RunningGateway(Node.start(config(folder, rules, upstream)));
    }

    /** Starts a node with the routes of a configuration. */
    static RunningGateway of(Path config, String rules) throws Exception {
        return new RunningGateway(Node.start(NodeConfig.inProcess(new RulesFrom.Text("rules", rules), 0)
                .withGateway(0, new RoutesFrom.File(config))));
    }

    /** Starts a node that counts in a Redis. */
    public static RunningGateway onRedis(Path folder, String rules, String upstream, String redis) throws Exception {
        return new RunningGateway(Node.start(config(folder, rules, upstream).withRedis(redis)));
    }

    private static NodeConfig config(Path folder, String rules, String upstream) throws Exception {
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"),
                "routes:\n  - { path: /**, service: shop, upstreams: [\"" + upstream + "\"], auth: open }\n");
        return NodeConfig.inProcess(new RulesFrom.Text("rules", rules), 0).withGateway(0, new RoutesFrom.File(config));
    }

    public int port() {
        return node.gateway().orElseThrow().getPort();
    }

    @Override
    public void close() {
        node.close();
    }
}
