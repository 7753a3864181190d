package io.sluice.spring.boot;

import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.MemberReports;
import io.sluice.runtime.NodeId;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.StoreWatch;
import io.sluice.runtime.Tallies;
import io.sluice.runtime.caller.CallerQuestions;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.center.CenterFleetLine;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DataSource;
import io.sluice.runtime.erasure.ErasableStore;
import io.sluice.runtime.erasure.Erasures;
import io.sluice.runtime.fleet.CallerPart;
import io.sluice.runtime.fleet.DataPart;
import io.sluice.runtime.fleet.ErasurePart;
import io.sluice.runtime.fleet.FleetLine;
import io.sluice.runtime.fleet.FleetMember;
import io.sluice.runtime.fleet.FleetPart;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.RedisFleetLine;
import io.sluice.runtime.fleet.WitnessPart;
import io.sluice.runtime.witness.Witness;
import io.sluice.spring.boot.store.SluiceStartException;
import io.sluice.spring.boot.store.StoreAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * This application's place in its fleet. It reports to its center over HTTP if one is configured, otherwise through Redis if its rules come
 * from Redis. Any other application is alone. Thread-safe.
 */
final class SluiceFleet implements AutoCloseable {

    /** The number of seconds that each report through Redis repeats, because no reader confirms what it has read. */
    private static final int REPEATED = 10;

    private final String id;
    private final String name;
    private final Optional<Center> center;
    private final Witness witness;
    private final Erasures erasures;
    private final CallerQuestions questions = new CallerQuestions();
    private final Clock clock;
    private final DataOutbox outbox;
    private final DataPart data;
    private volatile @Nullable FleetMember member;

    private SluiceFleet(String id, String name, Optional<Center> center, Witness witness, Clock clock) {
        this.id = id;
        this.name = name;
        this.center = center;
        this.witness = witness;
        this.erasures = new Erasures(clock);
        this.clock = clock;
        this.outbox = center.isPresent() ? DataOutbox.acknowledged() : DataOutbox.repeating(REPEATED);
        this.data = new DataPart(outbox, clock);
    }

    /** Returns the component that answers the center's questions about callers. */
    CallerQuestions questions() {
        return questions;
    }

    /** Returns the outbox for data to the center. */
    DataOutbox outbox() {
        return outbox;
    }

    /** Lets a source put its last data into the outbox before the application leaves. */
    void add(DataSource source) {
        data.add(source);
    }

    /** Prepares the connections that the properties name, without opening them. */
    static SluiceFleet of(SluiceProperties properties, Environment environment, Clock clock) {
        String service = properties.service();
        String name = service == null || service.isBlank() ? "application" : service;
        String port = environment.getProperty("server.port", "8080");
        // Processes that take any free port must not share an id.
        String suffix = port.equals("0") ? UUID.randomUUID().toString().substring(0, 8) : port;
        String id = NodeId.of(properties.dataDir(), name + ":" + suffix);
        return new SluiceFleet(id, name, center(properties.center()), Witness.of(properties.dataDir(), clock), clock);
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

    /** Returns the id of this process. */
    String id() {
        return id;
    }

    Optional<Center> center() {
        return center;
    }

    /** Returns the witness of the center's audit log. It receives nothing if the application is alone. */
    Witness witness() {
        return witness;
    }

    /** Starts to perform the center's orders to erase. */
    void erase(Supplier<RuleSet> rules, KeySettings keys, List<ErasableStore> stores) {
        erasures.over(rules, keys, stores);
    }

    /** Returns the number of live processes, or 0 if it is unknown. */
    int liveNodes() {
        FleetMember joined = member;
        return joined == null ? 0 : joined.liveNodes();
    }

    /** Returns the problems with the center, as sentences. */
    List<String> findings() {
        FleetMember joined = member;
        return joined == null ? List.of() : joined.findings();
    }

    /**
     * Starts to report if there is a center or a Redis with the rules, and returns whether there is one.
     *
     * @param redis the store, if the rules come from it
     */
    boolean join(
            Optional<StoreAddress> redis,
            OpenRules rules,
            StoreWatch store,
            Supplier<List<String>> findings,
            Tallies tallies) {
        Optional<FleetLine> line = center.<FleetLine>map(CenterFleetLine::new)
                .or(() -> redis.map(StoreAddress::uri).map(RedisFleetLine::to));
        line.ifPresent(each -> {
            List<FleetPart> parts = new ArrayList<>(List.of(new WitnessPart(witness)));
            // A client that can write to Redis must not be able to give orders.
            center.ifPresent(over -> parts.addAll(List.of(new ErasurePart(erasures), new CallerPart(questions))));
            parts.add(data);
            FleetMember joined = new FleetMember(each, clock, parts);
            member = joined;
            joined.start(MemberReports.of(id, Kind.APPLICATION, name, rules, store, findings, tallies, clock));
        });
        return line.isPresent();
    }

    @Override
    public void close() {
        FleetMember joined = member;
        if (joined != null) {
            joined.close();
        }
        erasures.close();
    }
}
