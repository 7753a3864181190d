package io.sluice.spring.boot;

import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.HashKeyNeeded;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.participant.Membership;
import io.sluice.spring.boot.store.SluiceStartException;
import io.sluice.spring.boot.store.StoreAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.core.env.Environment;

/** Chooses the source of an application's rules: a file, the properties, Redis, the center, or none. */
final class RuleChoice {

    private final SluiceProperties properties;
    private final Environment environment;
    private final Optional<StoreAddress> store;
    private final Clock clock;

    RuleChoice(SluiceProperties properties, Environment environment, Optional<StoreAddress> store, Clock clock) {
        this.properties = properties;
        this.environment = environment;
        this.store = store;
        this.clock = clock;
    }

    /** Opens the source. Fails if the rules have errors or cannot work in this process. */
    OpenRules open(Membership membership) {
        OpenRules rules;
        try {
            rules = chosen(membership);
        } catch (RulesRefusedException e) {
            throw refused(e.errors());
        }
        List<DocumentError> faults = vet().faults(rules.source().latest());
        if (!faults.isEmpty()) {
            rules.close();
            throw new SluiceStartException(
                    faults.get(0).message(),
                    "Write a key of at least 16 bytes to a file and set sluice.hash-key-file, or remove privacy:"
                            + " hash.");
        }
        return rules;
    }

    /** Returns the origin of the rules, for the log. */
    String shown(Membership membership) {
        return properties
                .rulesFile()
                .map(file -> "from " + file)
                .orElseGet(() -> PropertyDocuments.isConfigured(environment)
                        ? "from the application's properties"
                        : store.isPresent() ? "from Redis" : membership.center().isPresent() ? "from the center" : "");
    }

    /** Returns the store that the rules come from; empty if they come from elsewhere. */
    Optional<StoreAddress> redis() {
        return properties.rulesFile().isPresent() || PropertyDocuments.isConfigured(environment)
                ? Optional.empty()
                : store;
    }

    private OpenRules chosen(Membership membership) throws RulesRefusedException {
        boolean inline = PropertyDocuments.isConfigured(environment);
        Optional<Path> file = properties.rulesFile();
        if (inline && file.isPresent()) {
            throw new SluiceStartException(
                    "sluice.rules-file: " + file.get()
                            + ", but there are also rules under sluice.rules or rate.limit.configs"
                            + " (expected: rules in one place)",
                    "Move all rules to the file, or remove sluice.rules-file.");
        }
        if (file.isPresent()) {
            if (!Files.exists(file.get()) && properties.dataDir().isEmpty()) {
                throw new SluiceStartException(
                        "sluice.rules-file: " + file.get() + " (expected: a file or directory that exists)",
                        "Create the file, or correct the path; it is relative to "
                                + Path.of("").toAbsolutePath() + ".");
            }
            return OpenRules.ofFile(file.get(), properties.dataDir(), vet(), clock);
        }
        if (inline) {
            return OpenRules.begin(new PropertyDocuments(environment), Optional.empty(), vet(), clock);
        }
        if (store.isPresent()) {
            try {
                return OpenRules.ofRedis(store.get().uri(), membership.id(), properties.dataDir(), vet(), clock)
                        .warnIfNone("set sluice.rules-file");
            } catch (IllegalArgumentException e) {
                throw store.get().unreadable(e);
            }
        }
        if (membership.center().isPresent()) {
            return OpenRules.ofCenter(membership.center().get(), membership.id(), properties.dataDir(), vet(), clock)
                    .warnIfNone("set sluice.rules-file");
        }
        return OpenRules.of(RuleSource.fixed(RuleSet.none()));
    }

    private RuleVet vet() {
        return store.isPresent() && properties.hashKeyFile().isEmpty()
                ? new HashKeyNeeded("sluice.hash-key-file")
                : RuleVet.NONE;
    }

    private static SluiceStartException refused(List<DocumentError> errors) {
        return new SluiceStartException(
                errors.stream()
                        .map(DocumentError::toString)
                        .collect(Collectors.joining("\n", "The rules have errors:\n\n", "")),
                "Correct " + (errors.size() == 1 ? "it" : "all " + errors.size()) + " and start again.");
    }
}
