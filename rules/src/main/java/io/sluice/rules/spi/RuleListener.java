package io.sluice.rules.spi;

import io.sluice.rules.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** Is told when the rules in force change, and when a change was refused. Must be quick and must not throw. */
public interface RuleListener {

    /** A new set is in force. */
    void changed(RuleSet rules);

    /** A new set was refused; the last good one stays in force. Told once for each bad set. */
    void refused(List<DocumentError> errors);
}
