package io.sluice.rules.internal;

import io.sluice.rules.Attributes;
import io.sluice.rules.Rule;
import java.util.List;

/** Finds the rules for a request. Immutable. */
public interface RuleIndex {

    /** In document order. */
    List<Rule> matching(Attributes request);
}
