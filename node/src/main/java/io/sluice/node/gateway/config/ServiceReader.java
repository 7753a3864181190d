package io.sluice.node.gateway.config;

import io.sluice.node.gateway.config.ServiceSettings.Balance;
import io.sluice.node.gateway.config.ServiceSettings.HealthSettings;
import io.sluice.node.gateway.config.ServiceSettings.PassiveSettings;
import io.sluice.rules.watch.RegularFile;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the section {@code services}, and the upstreams of routes. */
final class ServiceReader {

    private static final List<String> KEYS = List.of("upstreams", "balance", "http2", "health", "passive", "tls");
    private static final Map<String, Balance> BALANCES =
            Map.of("round_robin", Balance.ROUND_ROBIN, "least_connections", Balance.LEAST_CONNECTIONS);

    private static final PassiveSettings PASSIVE = new PassiveSettings(5, Duration.ofSeconds(10));
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MOST_SERVERS = 1_000;
    private static final int LONGEST_NAME = 128;
    private static final int LARGEST_PEM = 1 << 20;
    private static final String EXPECTED_UPSTREAMS = "at least one, such as http://127.0.0.1:9001";

    private ServiceReader() {}

    /** Reads the services, by their names. */
    static Map<String, ServiceSettings> services(Settings root) {
        Map<String, ServiceSettings> services = new HashMap<>();
        root.fields()
                .flatMap(own -> own.entries("services"))
                .ifPresent(entries -> entries.forEach((name, value) -> {
                    name(name.text()).ifPresent(message -> root.errors().add(name.place(), message));
                    service(name.text(), root.of("service", value, KEYS))
                            .ifPresent(service -> services.put(name.text(), service));
                }));
        return services;
    }

    /** Returns the problem with the name of a service; empty if there is none. */
    static Optional<String> name(String text) {
        boolean fine =
                !text.isBlank() && text.length() <= LONGEST_NAME && text.chars().noneMatch(Character::isISOControl);
        return fine
                ? Optional.empty()
                : Optional.of(
                        "service: " + PrintableText.text(text) + " (expected: 1 to " + LONGEST_NAME + " characters)");
    }

    /** Returns a service with the upstreams of a route and defaults for everything else. */
    static Optional<ServiceSettings> plain(String name, Settings route) {
        return origins(route)
                .map(origins -> new ServiceSettings(
                        name, origins, Balance.ROUND_ROBIN, false, Optional.empty(), PASSIVE, UpstreamTls.SYSTEM));
    }

    private static Optional<ServiceSettings> service(String name, Settings own) {
        own.need("upstreams", EXPECTED_UPSTREAMS);
        Balance balance = own.fields()
                .flatMap(fields -> fields.choice("balance", BALANCES))
                .orElse(Balance.ROUND_ROBIN);
        boolean http2 = own.flag("http2", false);
        Optional<HealthSettings> health = health(own);
        PassiveSettings passive = passive(own.in("passive", List.of("failures", "for")));
        UpstreamTls tls = tls(own.in("tls", List.of("ca", "verify")));
        return origins(own).map(origins -> new ServiceSettings(name, origins, balance, http2, health, passive, tls));
    }

    /** Returns the upstreams; empty if there are none or some are bad. */
    private static Optional<List<URI>> origins(Settings own) {
        return own.fields().flatMap(fields -> fields.words("upstreams")).flatMap(words -> {
            List<URI> origins = new ArrayList<>();
            long before = own.errors().count();
            for (YamlScalar word : words) {
                try {
                    URI origin = Origins.of(word.text());
                    if (origins.contains(origin)) {
                        own.errors().add(word.place(), "upstreams: " + origin + " (expected: each upstream once)");
                    }
                    origins.add(origin);
                } catch (IllegalArgumentException e) {
                    own.errors().add(word.place(), String.valueOf(e.getMessage()));
                }
            }
            if (words.size() > MOST_SERVERS) {
                own.error("upstreams", "upstreams: " + words.size() + " (expected: at most " + MOST_SERVERS + ")");
            }
            return own.errors().count() == before ? Optional.of(origins) : Optional.empty();
        });
    }

    private static Optional<HealthSettings> health(Settings service) {
        Settings own = service.in("health", List.of("path", "interval", "timeout", "unhealthy_after", "healthy_after"));
        own.need("path", "a path that answers with 200 to 399, such as /health");
        Optional<String> path = own.fields().flatMap(fields -> fields.read("path", ServiceReader::checkPath));
        Duration interval = own.span("interval", SHORTEST, LONGEST, Duration.ofSeconds(5));
        Duration usual = Duration.ofSeconds(2);
        Duration timeout = own.span("timeout", SHORTEST, LONGEST, usual.compareTo(interval) < 0 ? usual : interval);
        int unhealthyAfter = own.whole("unhealthy_after", 1, 100, 3);
        int healthyAfter = own.whole("healthy_after", 1, 100, 2);
        return path.map(text -> new HealthSettings(text, interval, timeout, unhealthyAfter, healthyAfter));
    }

    private static String checkPath(String text) {
        boolean fine =
                text.startsWith("/") && text.length() <= 1_024 && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
        if (!fine) {
            throw new IllegalArgumentException(
                    "path: " + PrintableText.text(text) + " (expected: a path such as /health)");
        }
        return text;
    }

    private static PassiveSettings passive(Settings own) {
        return new PassiveSettings(
                own.whole("failures", 0, 1_000_000, PASSIVE.failures()),
                own.span("for", SHORTEST, LONGEST, PASSIVE.outFor()));
    }

    private static UpstreamTls tls(Settings own) {
        boolean verify = own.flag("verify", true);
        if (!verify && own.has("ca")) {
            own.error("ca", "ca: set together with verify: false (expected: one of the two)");
        }
        Optional<String> authorities =
                own.fields().flatMap(fields -> fields.read("ca", text -> authorities(own.beside(text))));
        return new UpstreamTls(authorities, verify, own.path("ca"));
    }

    private static String authorities(Path file) {
        try (InputStream in = RegularFile.open(file)) {
            byte[] pem = in.readNBytes(LARGEST_PEM);
            if (CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem))
                    .isEmpty()) {
                throw new CertificateException("no certificates");
            }
            return new String(pem, StandardCharsets.US_ASCII);
        } catch (IOException | CertificateException e) {
            throw new IllegalArgumentException(
                    "ca: no certificates in " + file + " (expected: a file in PEM that this user may read)", e);
        }
    }
}
