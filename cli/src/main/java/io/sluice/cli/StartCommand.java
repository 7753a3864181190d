package io.sluice.cli;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.center.CenterStartException;
import io.sluice.center.signin.settings.TlsFiles;
import io.sluice.cli.apply.DataFolder;
import io.sluice.cli.demo.Demo;
import io.sluice.cli.demo.DemoSource;
import io.sluice.cli.terminal.Terminal;
import io.sluice.node.Node;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.runtime.center.CenterAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "start",
        description = {
            "Runs a node with a gateway to a sample service, and a center, in one process, without setup.",
            "At the first start sample rules become version 1 of the center, and the node follows it. With --rules the"
                    + " file rules and the center shows it; with --redis the rules come from there."
        },
        mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {

    @Mixin
    private final RoleOptions options = new RoleOptions();

    @Mixin
    private final CenterOptions center = new CenterOptions();

    @Option(
            names = "--demo",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description =
                    "send sample traffic through the gateway to a sample service: 20 to 40 requests per second from"
                            + " made-up callers, until the process ends. A new center gets rules that refuse some of them."
                            + " On by default, unless rules, counts or routes come from elsewhere. Not together with"
                            + " --redis, --center or routes in --config")
    private @Nullable Boolean demo;

    @Override
    public Integer call() {
        options.data = DataFolder.or(options.data);
        return new NodeRunner(options, new RulesFrom.Nowhere(), Optional.of(new RoutesFrom.Sample()), Duration.ZERO)
                .run(this::role);
    }

    private Foreground.Role role(NodeConfig config, ConfigFile file) {
        boolean isDemo = demo == null ? isDemoUsual(config, file) : demo;
        if (isDemo) {
            checkDemo(config, file);
        }
        if (config.center().isPresent()) {
            return () -> node(config);
        }
        AtomicReference<@Nullable Node> running = new AtomicReference<>();
        CenterSettings settings = settings(config, file, running, isDemo);
        return () -> both(config, settings, running, isDemo);
    }

    /** Starts a node without a center in this process. */
    private Foreground.Started node(NodeConfig config) throws StartFailedException {
        Node node = Node.start(config, Logs::dropped);
        return new Foreground.Started(node, () -> show(node, config, Optional.empty(), Optional.empty()));
    }

    private Foreground.Started both(
            NodeConfig config, CenterSettings settings, AtomicReference<@Nullable Node> running, boolean isDemo)
            throws StartFailedException, CenterStartException {
        Center started = Center.open(settings);
        try {
            NodeConfig following = config.withCenter(new CenterAddress(
                    reachable(started.address(), settings.bind()),
                    started.adminTokenFile(),
                    settings.signIn().tls().map(TlsFiles::certificate)));
            if (config.rules() instanceof RulesFrom.Nowhere) {
                following = following.withRules(new RulesFrom.Center());
            }
            Foreground.Started node = isDemo
                    ? demoNode(following, started, settings, running)
                    : node(following, started, settings, running);
            AutoCloseable both = () -> {
                try {
                    node.running().close();
                } finally {
                    started.close();
                }
            };
            return new Foreground.Started(both, node.show());
        } catch (StartFailedException | RuntimeException | Error e) {
            started.close();
            throw e;
        }
    }

    private Foreground.Started node(
            NodeConfig config, Center started, CenterSettings settings, AtomicReference<@Nullable Node> running)
            throws StartFailedException {
        Node node = Node.start(config, Logs::dropped);
        running.set(node);
        return new Foreground.Started(
                node, () -> show(node, config, Optional.of(CenterPlace.of(started, settings)), Optional.empty()));
    }

    private Foreground.Started demoNode(
            NodeConfig config, Center started, CenterSettings settings, AtomicReference<@Nullable Node> running)
            throws StartFailedException {
        Demo shop = shop(settings.data());
        NodeConfig own = config.withRoutes(new RoutesFrom.Sample(Optional.of(shop.routes())));
        Node node = Node.start(own, Logs::dropped);
        try {
            running.set(node);
            AutoCloseable traffic = shop.send(reachable(node.gateway().orElseThrow(), options.gatewayAddress()));
            AutoCloseable both = () -> {
                try {
                    traffic.close();
                } finally {
                    node.close();
                }
            };
            return new Foreground.Started(
                    both,
                    () -> show(node, own, Optional.of(CenterPlace.of(started, settings)), Optional.of(Demo.LINE)));
        } catch (RuntimeException | Error e) {
            node.close();
            throw e;
        }
    }

    private Demo shop(Path data) throws StartFailedException {
        String gateway = options.gatewayAddress();
        try {
            return Demo.open(data.resolve("demo"), gateway);
        } catch (UnknownHostException e) {
            throw new StartFailedException(
                    "--gateway-bind: " + PrintableText.text(gateway)
                            + " is unknown (expected: an address of this machine, such as 127.0.0.1)",
                    List.of());
        } catch (IOException e) {
            throw new StartFailedException(
                    "demo: " + e.getMessage() + " (expected: a directory " + data + " that this user may write)",
                    List.of());
        }
    }

    /** Returns whether sample traffic is on by default. It is not if the user provides rules, counts or routes. */
    private boolean isDemoUsual(NodeConfig config, ConfigFile file) {
        return config.rules() instanceof RulesFrom.Nowhere
                && config.redisUri().isEmpty()
                && config.center().isEmpty()
                && file.gateway().isEmpty()
                && DemoSource.isApart(options.gatewayAddress());
    }

    /**
     * Refuses settings with which sample requests would be charged to shared counts, reach a real service, or appear in another
     * center.
     */
    private static void checkDemo(NodeConfig config, ConfigFile file) {
        if (config.redisUri().isPresent()) {
            throw new IllegalArgumentException("--demo: together with a Redis (expected: no --redis; counts of sample"
                    + " callers stay in the process)");
        }
        if (config.center().isPresent()) {
            throw new IllegalArgumentException("--demo: together with --center (expected: no --center; sample traffic"
                    + " appears in the center of this process)");
        }
        if (file.gateway().isPresent()) {
            throw new IllegalArgumentException("--demo: together with routes (expected: a --config without routes;"
                    + " sample traffic goes to the sample service)");
        }
    }

    /**
     * Returns the settings of the center. A Redis may already have rules of other users, so first rules are not released to it.
     */
    private CenterSettings settings(
            NodeConfig config, ConfigFile file, AtomicReference<@Nullable Node> running, boolean isDemo) {
        CenterSettings settings = center.settings(options, file);
        if (config.rules() instanceof RulesFrom.File rules) {
            return settings.showing(rules.path().toString(), () -> {
                Node node = running.get();
                return node == null ? RuleSet.none() : node.rules();
            });
        }
        return config.rules() instanceof RulesFrom.Nowhere
                ? settings.firstRules(
                        Stream.concat(Sample.rules().stream(), isDemo ? Demo.rules().stream() : Stream.empty())
                                .toList())
                : settings;
    }

    private void show(Node node, NodeConfig config, Optional<CenterPlace> place, Optional<String> remark) {
        Screen.show(
                options.spec.commandLine().getOut(),
                node,
                config,
                place,
                remark,
                Terminal.likesColour(System.getenv()));
    }

    /** Returns an address that reaches the center: the loopback address if it listens on all addresses. */
    private static URI reachable(URI address, String bind) {
        try {
            return InetAddress.getByName(bind).isAnyLocalAddress()
                    ? URI.create(address.getScheme() + "://127.0.0.1:" + address.getPort())
                    : address;
        } catch (UnknownHostException e) {
            return address;
        }
    }
}
