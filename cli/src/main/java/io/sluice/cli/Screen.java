package io.sluice.cli;

import io.sluice.node.Node;
import io.sluice.node.config.DoorAccess;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.redis.RedisUri;
import java.io.PrintWriter;
import java.net.URI;
import java.util.Optional;

/** Prints the start screen of a node or a center. */
final class Screen {

    private Screen() {}

    /**
     * Prints the start screen of a node.
     *
     * @param center the center in the same process, if there is one
     * @param remark an additional remark for the user
     */
    static void show(
            PrintWriter out,
            Node node,
            NodeConfig config,
            Optional<CenterPlace> center,
            Optional<String> remark,
            boolean coloured) {
        Paint paint = new Paint(coloured);
        DoorSettings api = config.api();
        String base =
                (api.access().tls().isPresent() ? "https://" : "http://") + host(api.host()) + ":" + node.apiPort();
        out.println();
        out.println(paint.strong("Sluice") + " " + paint.faint(Main.Version.text()));
        out.println();
        row(
                out,
                paint,
                "gateway",
                node.gateway().map(URI::toString).orElse(paint.faint("none, because the config has no routes")));
        row(out, paint, "decisions", "POST " + base + "/v1/check" + access(api, paint));
        config.grpc().ifPresent(grpc -> node.grpcPort()
                .ifPresent(port -> row(
                        out,
                        paint,
                        "envoy",
                        "grpc " + host(grpc.door().host()) + ":" + port + access(grpc.door(), paint))));
        row(out, paint, "health", "GET  " + base + "/health");
        row(out, paint, "metrics", "GET  " + base + "/metrics");
        row(out, paint, "api", "GET  " + base + "/openapi.json");
        row(out, paint, "rules", rules(node, config, paint));
        row(out, paint, "engine", engine(node, config, paint));
        center.ifPresent(place -> center(out, paint, place));
        out.println();
        String attributes = "{\"attributes\": {\"service\": \"user-service\", \"path\": \"/api/login\","
                + " \"method\": \"POST\", \"ip\": \"203.0.113.7\"}}";
        String curl = "curl -i " + proof(api.access()) + base + "/v1/check -d '" + attributes + "'";
        Optional<String> through = sample(node, config);
        if (Sample.isInForce(node)) {
            boolean isRedisAway =
                    config.redisUri().isPresent() && node.degraded().isPresent();
            out.println(
                    isRedisAway
                            ? "Try it: while Redis is unavailable, the rule login refuses every request, because of its"
                                    + " on_failure: closed:"
                            : "Try it: five requests are allowed, the sixth within a minute is refused with 429:");
            out.println();
            through.ifPresent(
                    login -> out.println("  " + paint.strong("for i in 1 2 3 4 5 6; do " + login + "; echo; done")));
            out.println("  " + paint.strong("for i in 1 2 3 4 5 6; do " + curl + "; echo; done"));
        } else {
            out.println("Try it:");
            out.println();
            through.ifPresent(login -> out.println("  " + paint.strong(login)));
            out.println("  " + paint.strong(curl));
        }
        out.println();
        remark.ifPresent(out::println);
        out.println("Ctrl-C stops it.");
        out.flush();
    }

    /** Prints the start screen of a center. */
    static void show(PrintWriter out, CenterPlace center, boolean coloured) {
        Paint paint = new Paint(coloured);
        out.println();
        out.println(paint.strong("Sluice") + " " + paint.faint(Main.Version.text()));
        out.println();
        center(out, paint, center);
        row(out, paint, "database", center.database());
        row(out, paint, "redis", center.redis().map(RedisUri::shown).orElse("none, nodes follow the center over HTTP"));
        out.println();
        out.println("Try it:");
        out.println();
        out.println("  " + paint.strong(center.curl()));
        out.println();
        out.println("Ctrl-C stops it.");
        out.flush();
    }

    /** Prints the lines about a center. The token itself is a secret and is not printed. */
    private static void center(PrintWriter out, Paint paint, CenterPlace center) {
        row(out, paint, "center", "GET  " + center.address() + "/api/rules" + paint.faint(", with a token"));
        row(out, paint, "token", center.tokenFile().toString());
        row(out, paint, "console", center.console().toString());
        center.setUpLink()
                .ifPresent(link -> row(
                        out,
                        paint,
                        "set up",
                        link + paint.faint("  once, to become the administrator; keep it secret")));
    }

    /** Returns a command that sends a request through the gateway, if its upstream is the sample service. */
    private static Optional<String> sample(Node node, NodeConfig config) {
        return config.gateway()
                .filter(gateway -> gateway.routes() instanceof RoutesFrom.Sample)
                .flatMap(gateway -> node.gateway())
                .map(address -> "curl -i -X POST " + address + "/api/login");
    }

    /** Returns the callers that may use a port, unless every process of this machine may. */
    private static String access(DoorSettings door, Paint paint) {
        DoorAccess access = door.access();
        if (door.isExposed()) {
            return paint.warning(", open to everybody");
        }
        if (access.tokens().isPresent()) {
            return paint.faint(access.needsCertificate() ? ", with a token and a certificate" : ", with a token");
        }
        return access.needsCertificate() ? paint.faint(", with a certificate") : "";
    }

    /** Returns the options of curl for the token and the certificate that a port requires. */
    private static String proof(DoorAccess access) {
        return (access.tokens().isPresent() ? "-H \"Authorization: Bearer $TOKEN\" " : "")
                + (access.needsCertificate() ? "--cert CLIENT.crt --key CLIENT.key " : "");
    }

    private static String host(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    private static void row(PrintWriter out, Paint paint, String name, String value) {
        out.println("  " + paint.faint(String.format("%-12s", name)) + value);
    }

    private static String rules(Node node, NodeConfig config, Paint paint) {
        if (node.standIn().isPresent()) {
            return (config.rules() instanceof RulesFrom.Store
                            ? "from Redis: none yet"
                            : config.rules() instanceof RulesFrom.Center ? "from the center: none yet" : "none")
                    + paint.warning(", " + node.standIn().get());
        }
        int count = node.rules().rules().size();
        String rules = source(config.rules()) + ": " + count + (count == 1 ? " rule" : " rules") + ", version "
                + node.rules().version();
        return node.hasKeptRules() ? rules + paint.warning(", kept from the last run") : rules;
    }

    private static String source(RulesFrom rules) {
        if (rules instanceof RulesFrom.File file) {
            return file.path().toString();
        }
        if (rules instanceof RulesFrom.Store) {
            return "from Redis";
        }
        if (rules instanceof RulesFrom.Center) {
            return "from the center";
        }
        return rules instanceof RulesFrom.Text text ? text.name() : "none, every request is allowed";
    }

    private static String engine(Node node, NodeConfig config, Paint paint) {
        if (config.redisUri().isEmpty()) {
            return "in process";
        }
        String uri = RedisUri.shown(config.redisUri().get());
        if (!node.findings().isEmpty()) {
            return uri + paint.warning("; " + String.join("; ", node.findings()));
        }
        return uri
                + node.degraded()
                        .map(why -> paint.warning(", unavailable (" + why + "): each rule's on_failure policy decides"))
                        .orElse("");
    }

    /** Uses colours on a terminal, plain text elsewhere. */
    private record Paint(boolean coloured) {

        String strong(String text) {
            return in("1", text);
        }

        String faint(String text) {
            return in("2", text);
        }

        String warning(String text) {
            return in("33", text);
        }

        private String in(String code, String text) {
            return coloured ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
        }
    }
}
