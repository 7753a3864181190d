package io.sluice.cli.demo;

import io.sluice.core.time.Clock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A fictional shop: routes to the sample service, rules, and callers with API keys of their own. Its traffic never leaves the machine.
 * Thread-safe.
 */
public final class Demo {

    /** The remark about sample traffic for the user. */
    public static final String LINE =
            "Sample traffic: 20 to 40 requests per second from made-up callers go through the gateway. --demo=false stops it.";

    private static final String RULES = "rules.yaml";
    private static final String ROUTES = "routes.yaml";
    private static final String KEYS = "keys.yaml";

    private final Path routes;
    private final List<DemoCaller> callers;
    private final Optional<InetAddress> source;

    private Demo(Path routes, List<DemoCaller> callers, Optional<InetAddress> source) {
        this.routes = routes;
        this.callers = callers;
        this.source = source;
    }

    /** Returns the rules of the shop, without the sample rules. */
    public static List<Rule> rules() {
        return ((RuleDocument.Accepted) RuleDocument.parse("demo", resource(RULES))).rules();
    }

    /**
     * Writes the routes and the hashes of the API keys.
     *
     * @param folder the folder of the files
     * @param gatewayHost the address that the gateway listens on
     */
    public static Demo open(Path folder, String gatewayHost) throws IOException {
        List<DemoCaller> callers = DemoCaller.all();
        Optional<InetAddress> source = DemoSource.to(gatewayHost);
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(KEYS), keys(callers));
        Path routes = folder.resolve(ROUTES);
        String trusted = String.join(", ", DemoSource.trusted(gatewayHost, source));
        Files.writeString(routes, resource(ROUTES).replace("TRUSTED", trusted));
        return new Demo(routes, callers, source);
    }

    /** Returns the configuration file with the routes to the sample service. */
    public Path routes() {
        return routes;
    }

    /** Starts to send requests to a gateway. Closing the returned object stops the traffic. */
    public AutoCloseable send(URI gateway) {
        DemoTraffic traffic = DemoTraffic.to(gateway, source, new DemoMix(callers), Clock.system());
        traffic.start();
        return traffic;
    }

    private static String keys(List<DemoCaller> callers) {
        return callers.stream()
                .map(caller -> "  - { sha256: " + caller.keyHash() + ", user: " + caller.user() + ", tenant: "
                        + caller.tenant() + ", plan: " + caller.plan() + " }\n")
                .collect(Collectors.joining(
                        "", "# The keys of sample callers. They are new at each start.\nkeys:\n", ""));
    }

    private static String resource(String file) {
        try (InputStream in = Demo.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing from the program");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
