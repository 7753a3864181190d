package io.sluice.cli;

import io.sluice.node.config.NodeConfig.RulesFrom;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "node",
        description = "Runs a node, the data plane of a real deployment.",
        mixinStandardHelpOptions = true)
final class NodeCommand implements Callable<Integer> {

    @Mixin
    private final RoleOptions options = new RoleOptions();

    @Override
    public Integer call() {
        return new NodeRunner(options, new RulesFrom.Nowhere(), Optional.empty()).run();
    }
}
