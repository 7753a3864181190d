package io.sluice.cli;

import io.sluice.cli.terminal.Terminal;
import io.sluice.node.Node;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import io.sluice.node.config.DefaultLimit;
import io.sluice.node.config.DoorAccess;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.ExposedDoorException;
import io.sluice.node.config.GrpcSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.rules.caller.KeySettings;
import io.sluice.runtime.center.CenterAddress;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Runs a node until the process is asked to stop. */
final class NodeRunner {

    private final RoleOptions options;
    private final RulesFrom otherRules;
    private final Optional<RoutesFrom> otherRoutes;
    private final Duration usualStopDelay;
    private final PrintWriter out;
    private final Foreground foreground;

    /**
     * Creates a runner.
     *
     * @param otherRules the rules if neither the flags nor the configuration name any rules, or a Redis or a center to read them
     *     from
     * @param otherRoutes the routes if the configuration has none; if empty, there is no gateway
     * @param usualStopDelay the time that the ports stay open after a signal if no flag sets it
     */
    NodeRunner(RoleOptions options, RulesFrom otherRules, Optional<RoutesFrom> otherRoutes, Duration usualStopDelay) {
        this.options = options;
        this.otherRules = otherRules;
        this.otherRoutes = otherRoutes;
        this.usualStopDelay = usualStopDelay;
        this.out = options.spec.commandLine().getOut();
        this.foreground = new Foreground(options.spec);
    }

    /** Starts a node with a configuration and shows it. */
    interface Starter {
        Foreground.Role role(NodeConfig config, ConfigFile file);
    }

    /**
     * Runs the node. Returns only if the start failed; a stop ends the process.
     *
     * @throws CommandLine.ParameterException if a setting is invalid
     */
    int run() {
        return run((config, file) -> () -> {
            Node node = Node.start(config, Logs::dropped);
            return new Foreground.Started(
                    node,
                    () -> Screen.show(
                            out,
                            node,
                            config,
                            Optional.empty(),
                            Optional.empty(),
                            Terminal.likesColour(System.getenv())));
        });
    }

    /** Runs a role that starts with the node's configuration. */
    int run(Starter starter) {
        options.check();
        Logs.set(options.logFormat, options.logLevel);
        try {
            ConfigFile file = options.file();
            NodeConfig config = config(file);
            warnIfExposed("the decision API", config.api());
            config.grpc().ifPresent(grpc -> warnIfExposed("the Envoy rate limit service", grpc.door()));
            return foreground.run(starter.role(config, file));
        } catch (ConfigRefusedException e) {
            return foreground.failed(e);
        } catch (ExposedDoorException e) {
            return foreground.failed(e.getMessage(), List.of());
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(options.spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private NodeConfig config(ConfigFile file) {
        Optional<Path> rules = Optional.ofNullable(options.rules).or(file::rulesPath);
        Optional<String> redis = Optional.ofNullable(options.redis).or(file::redisUri);
        Optional<CenterAddress> center = CenterAddress.of(
                        Optional.ofNullable(options.center).or(file::centerUrl),
                        Optional.ofNullable(options.centerTokenFile).or(file::centerTokenFile),
                        "--center",
                        "--center-token-file")
                .map(address -> address.trusting(
                        Optional.ofNullable(options.centerAuthorities).or(file::centerAuthorities)));
        Optional<RoutesFrom> routes = file.gateway()
                .<RoutesFrom>flatMap(
                        present -> Optional.ofNullable(options.config).map(RoutesFrom.File::new))
                .or(() -> otherRoutes);
        return new NodeConfig(
                rules.<RulesFrom>map(RulesFrom.File::new)
                        .or(() -> redis.map(uri -> new RulesFrom.Store()))
                        .or(() -> center.map(address -> new RulesFrom.Center()))
                        .orElse(otherRules),
                redis,
                file.redisPrefix().orElse(NodeConfig.DEFAULT_PREFIX),
                door(options.apiBind, options.apiPort, RoleOptions.DEFAULT_API_PORT, file.api()),
                file.hashKey(),
                file.ipv6Prefix().orElse(KeySettings.DEFAULT_IPV6_PREFIX),
                file.hashTag(),
                Optional.ofNullable(options.data),
                Optional.of(new GrpcSettings(
                        door(options.grpcBind, options.grpcPort, RoleOptions.DEFAULT_GRPC_PORT, file.grpc()),
                        file.countsLikeTheReference())),
                routes.map(from -> new NodeConfig.Gateway(
                        options.gatewayAddress(),
                        options.gatewayPort == null ? RoleOptions.DEFAULT_GATEWAY_PORT : options.gatewayPort,
                        from)),
                file.doors(),
                options.xRateLimitHeaders,
                Optional.ofNullable(options.defaultLimit).map(DefaultLimit::new).or(file::defaultLimit),
                file.openMetrics(),
                options.insecureApi,
                center,
                file.decisions(),
                file.telemetry(),
                options.recording(file.record()),
                options.stopDelay(usualStopDelay));
    }

    /** Returns the settings of a port. Its tokens come from the configuration, otherwise from the flag for all ports. */
    private DoorSettings door(@Nullable String bind, @Nullable Integer port, int usualPort, DoorAccess access) {
        return new DoorSettings(
                bind == null ? NodeConfig.LOOPBACK : bind,
                port == null ? usualPort : port,
                access.orTokens(Optional.ofNullable(options.apiTokenFile)));
    }

    private void warnIfExposed(String name, DoorSettings door) {
        if (door.isExposed()) {
            options.warn(name + " on " + door.host() + " serves everybody who can reach it, because of --insecure-api");
        }
    }
}
