package io.sluice.spring.boot;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Logs once at startup the place of the counts and the source of the rules. */
final class StartLine implements SmartInitializingSingleton {

    private static final Logger LOG = LoggerFactory.getLogger(StartLine.class);

    private final StoreChoice store;
    private final RuleSource rules;
    private final String rulesFrom;

    StartLine(StoreChoice store, RuleSource rules, String rulesFrom) {
        this.store = store;
        this.rules = rules;
        this.rulesFrom = rulesFrom;
    }

    @Override
    public void afterSingletonsInstantiated() {
        LOG.info(line());
    }

    String line() {
        RuleSet set = rules.latest();
        int count = set.rules().size();
        String counted = count == 0
                ? "no rules, only limits in code apply"
                : count + (count == 1 ? " rule " : " rules ") + rulesFrom + ", version " + set.version();
        return store.address()
                        .map(address -> "Sluice shares its counts through " + address.shown() + " (configured by "
                                + address.from() + ")")
                        .orElse("Sluice counts in this process only (no Redis configured)")
                + "; " + counted;
    }
}
