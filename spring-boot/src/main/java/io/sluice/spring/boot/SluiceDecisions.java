package io.sluice.spring.boot;

import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.source.RuleSource;
import io.sluice.runtime.decisions.DecisionRecorder;
import io.sluice.runtime.decisions.DecisionSettings;
import io.sluice.runtime.decisions.DecisionSettings.Shares;
import io.sluice.spring.boot.store.SluiceStartException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** A listener of rulings, which logs decisions to the places that the properties name, and samples them for the center. */
final class SluiceDecisions implements RulingListener, AutoCloseable {

    private static final String PRODUCER = "org.apache.kafka.clients.producer.KafkaProducer";

    private final Optional<DecisionRecorder> opened;
    private final @Nullable DecisionRecorder recorder;

    private SluiceDecisions(Optional<DecisionRecorder> opened) {
        this.opened = opened;
        this.recorder = opened.orElse(null);
    }

    static SluiceDecisions open(
            SluiceProperties.Decisions properties, SluiceFleet fleet, RuleSource rules, KeySettings keys, Clock clock) {
        try {
            Optional<DecisionRecorder> recorder = DecisionRecorder.open(
                    settings(properties), Optional.of(fleet.outbox()), rules::latest, keys, clock);
            recorder.ifPresent(fleet::add);
            return new SluiceDecisions(recorder);
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            throw new SluiceStartException(
                    (message.startsWith("decisions.") ? "sluice." : "sluice.decisions: ") + message,
                    "Correct the property under sluice.decisions.");
        }
    }

    private static DecisionSettings settings(SluiceProperties.Decisions properties) {
        Shares usual = new Shares(properties.share(), properties.allowedShare());
        Map<String, Shares> rules = new HashMap<>();
        properties.rules().forEach((rule, own) -> {
            Double share = own.share();
            Double allowed = own.allowedShare();
            rules.put(
                    rule,
                    new Shares(share == null ? usual.refused() : share, allowed == null ? usual.allowed() : allowed));
        });
        return new DecisionSettings(
                Optional.ofNullable(properties.dir())
                        .map(dir -> new DecisionSettings.Files(
                                dir,
                                properties.maxSize().toBytes(),
                                properties.maxTotal().toBytes(),
                                properties.keep())),
                Optional.ofNullable(properties.kafka().servers())
                        .filter(servers -> !servers.isBlank())
                        .map(servers -> kafka(servers, properties.kafka())),
                usual,
                rules,
                properties.centerAllowedShare());
    }

    private static DecisionSettings.Kafka kafka(String servers, SluiceProperties.Kafka properties) {
        if (!ClassUtils.isPresent(PRODUCER, SluiceDecisions.class.getClassLoader())) {
            throw new SluiceStartException(
                    "sluice.decisions.kafka.servers: set, but the client of Kafka is not on the class path",
                    "Add the dependency org.apache.kafka:kafka-clients, or remove sluice.decisions.kafka.servers.");
        }
        return new DecisionSettings.Kafka(servers, properties.topic(), Optional.ofNullable(properties.properties()));
    }

    /** Returns the recorder of the decision log; empty if no destination is configured. */
    Optional<DecisionRecorder> recorder() {
        return opened;
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        // A ruling without its request cannot be logged; the other method gets both.
    }

    @Override
    public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
        if (recorder != null) {
            recorder.ruled(request, ruling, elapsedNanos);
        }
    }

    /** Does nothing, because the request is logged at its final ruling. */
    @Override
    public void passedEarly(Attributes request, Ruling.Settled ruling, long elapsedNanos) {}

    @Override
    public void close() {
        opened.ifPresent(DecisionRecorder::close);
    }
}
