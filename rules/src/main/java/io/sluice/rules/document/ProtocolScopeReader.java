package io.sluice.rules.document;

import io.sluice.rules.model.Action;
import io.sluice.rules.model.ProtocolScope;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import java.util.Optional;

/**
 * Reads the {@link ProtocolScope} of one protocol out of rule documents. Found by {@link java.util.ServiceLoader}; where the module
 * of a protocol is missing, rules keep what documents say of it and match nothing by it. Stateless, safe for use by many threads.
 */
public interface ProtocolScopeReader {

    /** The key of a rule that it reads, such as {@code envoy}. */
    String key();

    /** Reads what stands under the key; empty if that has an error, which is then among {@code errors}. */
    Optional<ProtocolScope> read(Fields rule, Action action, Errors errors);
}
