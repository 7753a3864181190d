package io.sluice.spring.boot;

import io.sluice.core.time.Clock;
import io.sluice.runtime.NodeId;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.participant.Membership;
import io.sluice.spring.boot.store.SluiceStartException;
import io.sluice.spring.boot.store.StoreAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.springframework.core.env.Environment;

/** Reads from the properties the place of an application in its fleet. */
final class FleetProperties {

    private FleetProperties() {}

    /** Returns the name of the application for people. */
    static String name(SluiceProperties properties) {
        String service = properties.service();
        return service == null || service.isBlank() ? "application" : service;
    }

    /**
     * Prepares the connections that the properties name, without opening them.
     *
     * @param redis the store, if the rules come from it
     */
    static Membership membership(
            SluiceProperties properties, Environment environment, Optional<StoreAddress> redis, Clock clock) {
        String port = environment.getProperty("server.port", "8080");
        // Processes that take any free port must not share an id.
        String suffix = port.equals("0") ? UUID.randomUUID().toString().substring(0, 8) : port;
        String id = NodeId.of(properties.dataDir(), name(properties) + ":" + suffix);
        Optional<Center> center = center(properties.center());
        try {
            return Membership.of(
                    id, Kind.APPLICATION, center, redis.map(StoreAddress::uri), properties.dataDir(), clock);
        } catch (IllegalArgumentException e) {
            throw redis.orElseThrow().unreadable(e);
        }
    }

    /**
     * Returns the configured center. A token file without a center is not an error: it may come from an environment variable of the command
     * line.
     */
    private static Optional<Center> center(SluiceProperties.Center properties) {
        String url = properties.url();
        if (url == null || url.isBlank()) {
            return Optional.empty();
        }
        Optional<CenterAddress> address;
        try {
            address = CenterAddress.of(
                            Optional.of(url),
                            Optional.ofNullable(properties.tokenFile()),
                            "sluice.center.url",
                            "sluice.center.token-file")
                    .map(of -> of.trusting(Optional.ofNullable(properties.ca())));
        } catch (IllegalArgumentException e) {
            throw new SluiceStartException(
                    String.valueOf(e.getMessage()),
                    "Set sluice.center.url to the URL of the center, and sluice.center.token-file to a file with the"
                            + " token of this application.");
        }
        try {
            return address.map(Center::at);
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            if (message.startsWith("center-ca: ")) {
                throw new SluiceStartException(
                        "sluice.center.ca: " + message.substring("center-ca: ".length()),
                        "Name a PEM file with the certificate of the center or of its authority.");
            }
            throw new SluiceStartException(
                    "sluice.center.token-file: " + message,
                    "Write the token of this application to the file, or correct the path; it is relative to "
                            + Path.of("").toAbsolutePath() + ".");
        }
    }
}
