package io.sluice.rules.document;

import io.sluice.rules.model.Action;
import io.sluice.rules.model.ProtocolScope;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import java.util.Optional;

/**
 * Reads the {@link ProtocolScope} of one protocol from rule documents. Implementations are found by {@link
 * java.util.ServiceLoader}. If the module of a protocol is missing, a rule keeps the content of its document about the
 * protocol, but matches no request by it. Stateless and thread-safe.
 */
public interface ProtocolScopeReader {

    /** Returns the rule key that this reader reads, such as {@code envoy}. */
    String key();

    /** Reads the value under the key. Returns empty if it has an error, which is then in {@code errors}. */
    Optional<ProtocolScope> read(Fields rule, Action action, Errors errors);
}
