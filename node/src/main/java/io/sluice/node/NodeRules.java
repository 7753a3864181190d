package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.HashKeyNeeded;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.participant.Membership;
import java.util.List;

/** Opens the rules from the source in a node's configuration. */
final class NodeRules {

    private static final String RULES_FLAG = "give a rule file with --rules FILE";

    private NodeRules() {}

    /** Opens the rules with which a node starts. Fails if they are invalid or unsuitable for this node. */
    static OpenRules open(NodeConfig config, Membership membership) throws StartFailedException {
        OpenRules rules;
        try {
            rules = orDefault(config, of(config, config.rules(), membership)).warnIfNone(RULES_FLAG);
        } catch (RulesRefusedException e) {
            int count = e.errors().size();
            throw new StartFailedException(
                    "rules: " + count + (count == 1 ? " error" : " errors") + " (expected: none; correct "
                            + (count == 1 ? "it" : "them") + " and start again)",
                    e.errors().stream().map(Object::toString).toList(),
                    DocumentError.areUnreadable(e.errors()));
        }
        List<DocumentError> faults = vet(config).faults(rules.source().latest());
        if (!faults.isEmpty()) {
            rules.close();
            throw new StartFailedException(faults.get(0).message(), List.of());
        }
        return rules;
    }

    private static OpenRules orDefault(NodeConfig config, OpenRules rules) {
        return config.defaultLimit()
                .map(limit ->
                        rules.orElse(limit.rules(), "the default limit of " + limit.rate() + " per address applies"))
                .orElse(rules);
    }

    private static OpenRules of(NodeConfig config, RulesFrom from, Membership membership) throws RulesRefusedException {
        if (from instanceof RulesFrom.Store) {
            String uri = config.redisUri().orElseThrow();
            return OpenRules.ofRedis(uri, membership.id(), config.data(), vet(config), Clock.system());
        }
        if (from instanceof RulesFrom.Center) {
            return OpenRules.ofCenter(
                    membership.center().orElseThrow(), membership.id(), config.data(), vet(config), Clock.system());
        }
        if (from instanceof RulesFrom.File file) {
            return OpenRules.ofFile(file.path(), config.data(), vet(config), Clock.system());
        }
        if (from instanceof RulesFrom.Text text) {
            RuleDocument document = RuleDocument.parse(text.name(), text.text());
            if (document instanceof RuleDocument.Refused refused) {
                throw new RulesRefusedException(refused.errors());
            }
            RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) document).rules());
            return OpenRules.of(RuleSource.fixed(set));
        }
        return OpenRules.of(RuleSource.fixed(RuleSet.none()));
    }

    private static RuleVet vet(NodeConfig config) {
        return config.redisUri().isPresent() && config.hashKey().isEmpty()
                ? new HashKeyNeeded("rules.hash_key_file in --config")
                : RuleVet.NONE;
    }
}
