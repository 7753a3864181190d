package io.sluice.cli;

import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "start",
        description = "Runs a node with sample rules and a gateway to a sample service, in one process, without setup."
                + " The center joins it later.",
        mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {

    private static final String SAMPLE = "sample.yaml";

    @Mixin
    private final RoleOptions options = new RoleOptions();

    @Override
    public Integer call() throws IOException {
        return new NodeRunner(options, sample(), Optional.of(new RoutesFrom.Sample())).run();
    }

    static RulesFrom sample() throws IOException {
        try (InputStream in = StartCommand.class.getResourceAsStream(SAMPLE)) {
            if (in == null) {
                throw new IOException(SAMPLE + " is missing from the program");
            }
            return new RulesFrom.Text("sample", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
