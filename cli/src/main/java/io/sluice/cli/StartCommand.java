package io.sluice.cli;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.center.CenterStartException;
import io.sluice.center.settings.TlsFiles;
import io.sluice.cli.apply.DataFolder;
import io.sluice.node.Node;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.center.CenterAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

    @Override
    public Integer call() {
        options.data = DataFolder.or(options.data);
        return new NodeRunner(options, new RulesFrom.Nowhere(), Optional.of(new RoutesFrom.Sample())).run(this::role);
    }

    private Foreground.Role role(NodeConfig config, ConfigFile file) {
        if (config.center().isPresent()) {
            return () -> node(config);
        }
        AtomicReference<@Nullable Node> running = new AtomicReference<>();
        CenterSettings settings = settings(config, file, running);
        return () -> both(config, settings, running);
    }

    /** The center is elsewhere. */
    private Node node(NodeConfig config) throws StartFailedException {
        Node node = Node.start(config, Logs::dropped);
        show(node, config, Optional.empty());
        return node;
    }

    private AutoCloseable both(NodeConfig config, CenterSettings settings, AtomicReference<@Nullable Node> running)
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
            Node node = Node.start(following, Logs::dropped);
            running.set(node);
            show(node, following, Optional.of(CenterPlace.of(started, settings)));
            return () -> {
                node.close();
                started.close();
            };
        } catch (StartFailedException | RuntimeException | Error e) {
            started.close();
            throw e;
        }
    }

    /** A Redis may have rules of somebody else, so nothing is released to it without being asked for. */
    private CenterSettings settings(NodeConfig config, ConfigFile file, AtomicReference<@Nullable Node> running) {
        CenterSettings settings = center.settings(options, file);
        if (config.rules() instanceof RulesFrom.File rules) {
            return settings.showing(rules.path().toString(), () -> {
                Node node = running.get();
                return node == null ? RuleSet.none() : node.rules();
            });
        }
        return config.rules() instanceof RulesFrom.Nowhere ? settings.firstRules(Sample.rules()) : settings;
    }

    private void show(Node node, NodeConfig config, Optional<CenterPlace> place) {
        Screen.show(options.spec.commandLine().getOut(), node, config, place, Terminal.likesColour(System.getenv()));
    }

    /** A center that listens on all addresses is reached on the loopback address. */
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
