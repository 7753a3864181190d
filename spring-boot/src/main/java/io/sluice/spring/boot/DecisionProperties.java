package io.sluice.spring.boot;

import io.sluice.runtime.decisions.DecisionSettings;
import io.sluice.runtime.decisions.DecisionSettings.Shares;
import io.sluice.spring.boot.store.SluiceStartException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.util.ClassUtils;

/** Reads from the properties the places of the decision log. */
final class DecisionProperties {

    private static final String PRODUCER = "org.apache.kafka.clients.producer.KafkaProducer";

    private DecisionProperties() {}

    /** @throws IllegalArgumentException if a number is not possible */
    static DecisionSettings read(SluiceProperties.Decisions properties) {
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
        if (!ClassUtils.isPresent(PRODUCER, DecisionProperties.class.getClassLoader())) {
            throw new SluiceStartException(
                    "sluice.decisions.kafka.servers: set, but the client of Kafka is not on the class path",
                    "Add the dependency org.apache.kafka:kafka-clients, or remove sluice.decisions.kafka.servers.");
        }
        return new DecisionSettings.Kafka(servers, properties.topic(), Optional.ofNullable(properties.properties()));
    }

    /** Returns the startup failure for settings or a directory that cannot be used. */
    static SluiceStartException refused(IllegalArgumentException e) {
        String message = String.valueOf(e.getMessage());
        return new SluiceStartException(
                (message.startsWith("decisions.") ? "sluice." : "sluice.decisions: ") + message,
                "Correct the property under sluice.decisions.");
    }
}
