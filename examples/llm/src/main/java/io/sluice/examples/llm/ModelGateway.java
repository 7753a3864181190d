package io.sluice.examples.llm;

import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The gateway before the model: a node with the files of this example, as {@code ./sluice node --config gateway.yaml --rules rules.yaml}
 * would start it. Its decision API tells what is left of a budget.
 */
final class ModelGateway implements AutoCloseable {

    private static final String UPSTREAM = "http://127.0.0.1:9001";
    private static final Pattern LEFT = Pattern.compile("\"completions\\.budget\";r=(\\d+)");

    private final Node node;
    private final Path folder;
    private final HttpClient client = HttpClient.newHttpClient();

    private ModelGateway(Node node, Path folder) {
        this.node = node;
        this.folder = folder;
    }

    /**
     * Starts a gateway.
     *
     * @param files the folder with the files of this example
     * @param modelPort the port of the model
     * @param redis counts are kept there, or in this process
     */
    static ModelGateway start(Path files, int modelPort, Optional<String> redis)
            throws IOException, StartFailedException {
        Path folder = Files.createTempDirectory("llm");
        Files.copy(files.resolve("keys.yaml"), folder.resolve("keys.yaml"));
        Path config = folder.resolve("gateway.yaml");
        Files.writeString(
                config,
                Files.readString(files.resolve("gateway.yaml")).replace(UPSTREAM, "http://127.0.0.1:" + modelPort));
        NodeConfig settings = NodeConfig.inProcess(new NodeConfig.RulesFrom.File(files.resolve("rules.yaml")), 0)
                .withGateway(0, new NodeConfig.RoutesFrom.File(config));
        return new ModelGateway(Node.start(redis.map(settings::withRedis).orElse(settings)), folder);
    }

    URI address() {
        return node.gateway().orElseThrow();
    }

    /** Returns how many tokens of its budget a tenant has left this month. Charges nothing. */
    long budgetLeft(String tenant) throws IOException, InterruptedException {
        HttpRequest look = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.apiPort() + "/v1/check"))
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"attributes\":{\"path\":\"/v1/chat/completions\",\"tenant\":\"" + tenant
                                + "\"},\"permits\":0}"))
                .build();
        HttpResponse<String> answer = client.send(look, HttpResponse.BodyHandlers.ofString());
        Matcher left = LEFT.matcher(String.join(", ", answer.headers().allValues("RateLimit")));
        if (!left.find()) {
            throw new IOException("no budget in " + answer.headers().map() + " " + answer.body());
        }
        return Long.parseLong(left.group(1));
    }

    @Override
    public void close() throws IOException {
        node.close();
        Files.delete(folder.resolve("keys.yaml"));
        Files.delete(folder.resolve("gateway.yaml"));
        Files.delete(folder);
    }
}
