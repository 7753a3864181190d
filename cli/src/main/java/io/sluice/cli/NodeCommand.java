package io.sluice.cli;

import io.sluice.node.config.NodeConfig.RulesFrom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "node",
        description = "Runs a node, the data plane of a real deployment.",
        mixinStandardHelpOptions = true)
final class NodeCommand implements Callable<Integer> {

    /**
     * The default time before the ports close. It is long enough for a load balancer that checks the health every second or
     * two.
     */
    private static final Duration USUAL_STOP_DELAY = Duration.ofSeconds(5);

    @Mixin
    private final RoleOptions options = new RoleOptions();

    /** Flags of the center, which a node ignores, so that one set of flags starts all roles. */
    @Option(
            names = {"--center-port", "--center-bind", "--db", "--admin-token-file", "--public-url"},
            hidden = true)
    @SuppressWarnings("UnusedVariable") // picocli sets it
    private final List<String> ofTheCenter = new ArrayList<>();

    @Override
    public Integer call() {
        return new NodeRunner(options, new RulesFrom.Nowhere(), Optional.empty(), USUAL_STOP_DELAY).run();
    }
}
