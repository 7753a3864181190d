package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.node.NodeConfig.RulesFrom;
import io.sluice.rules.FileRuleSource;
import io.sluice.rules.KeptRuleSource;
import io.sluice.rules.RuleDocument;
import io.sluice.rules.RuleSet;
import io.sluice.rules.RulesRefusedException;
import io.sluice.rules.spi.RuleSource;
import io.sluice.rules.spi.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules of a node, from wherever its configuration says. Safe for use by many threads. */
final class NodeRules implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeRules.class);

    private final RuleSource source;

    private NodeRules(RuleSource source) {
        this.source = source;
    }

    /** Opens the source that a node is to begin with; fails if its rules are bad, or not for this node. */
    static NodeRules open(NodeConfig config) throws StartFailedException {
        NodeRules rules;
        try {
            rules = new NodeRules(source(config));
        } catch (RulesRefusedException e) {
            int count = e.errors().size();
            throw new StartFailedException(
                    "rules: " + count + (count == 1 ? " error" : " errors") + " (expected: none; correct "
                            + (count == 1 ? "it" : "them") + " and start again)",
                    e.errors().stream().map(Object::toString).toList());
        }
        List<DocumentError> faults = vet(config).faults(rules.source.latest());
        if (!faults.isEmpty()) {
            rules.close();
            throw new StartFailedException(faults.get(0).message(), List.of());
        }
        return rules;
    }

    RuleSource source() {
        return source;
    }

    /** Whether the rules in force are those of the last run, because there are none of now yet, or bad ones. */
    boolean isKept() {
        return source instanceof KeptRuleSource kept && kept.isRestored();
    }

    /** What is wrong with the rules or where they come from, though the node decides, in sentences. */
    List<String> findings() {
        return List.of();
    }

    @Override
    public void close() {
        source.close();
    }

    private static RuleSource source(NodeConfig config) throws RulesRefusedException {
        RulesFrom from = config.rules();
        if (from instanceof RulesFrom.File file) {
            return config.data().isPresent()
                    ? keptFile(file.path(), config.data().get(), vet(config))
                    : FileRuleSource.open(file.path(), Clock.system(), vet(config));
        }
        if (from instanceof RulesFrom.Text text) {
            RuleDocument document = RuleDocument.parse(text.name(), text.text());
            if (document instanceof RuleDocument.Refused refused) {
                throw new RulesRefusedException(refused.errors());
            }
            return RuleSource.fixed(new RuleSet(1, ((RuleDocument.Accepted) document).rules()));
        }
        LOG.warn("no rules: every request is allowed; give a rule file with --rules FILE");
        return RuleSource.fixed(RuleSet.none());
    }

    /** Rules of a file or, if those are bad, of the last run. */
    private static RuleSource keptFile(Path path, Path folder, RuleVet vet) throws RulesRefusedException {
        FileRuleSource file = FileRuleSource.watch(path, Clock.system(), KeptRuleSource.last(folder), vet);
        RuleSource rules = KeptRuleSource.over(file, folder, Clock.system());
        if (!rules.hasRules()) {
            rules.close();
            throw new RulesRefusedException(rules.refused());
        }
        return rules;
    }

    private static RuleVet vet(NodeConfig config) {
        return config.redisUri().isPresent() && config.hashKey().isEmpty() ? new HashKeyNeeded() : RuleVet.NONE;
    }
}
