package io.sluice.node;

import io.sluice.rules.RuleSet;
import io.sluice.rules.spi.RuleListener;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says when rules that need a shared hash key come into force on a node that has none; at the start that is an error. */
final class HashKeyWatch implements RuleListener {

    private static final Logger LOG = LoggerFactory.getLogger(HashKeyWatch.class);

    @Override
    public void changed(RuleSet rules) {
        if (rules.hashesKeys()) {
            LOG.error(
                    "rules of version {} have privacy: hash, and this node has no hash key: it counts them by itself;"
                            + " give every node the same rules.hash_key_file in --config and start again",
                    rules.version());
        }
    }

    @Override
    public void refused(List<DocumentError> errors) {}
}
