package io.sluice.center.alert;

import static io.sluice.center.alert.Thresholds.AFTER;
import static io.sluice.center.alert.Thresholds.FACTOR;
import static io.sluice.center.alert.Thresholds.REFUSED;
import static io.sluice.center.alert.Thresholds.REQUESTS;
import static io.sluice.center.alert.Thresholds.RULE;
import static io.sluice.center.alert.Thresholds.SHARE;
import static io.sluice.center.alert.Thresholds.WITHIN;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** The kinds of problem that an alert reports. */
public enum AlertKind {
    /** One caller is refused often. */
    CALLER_REFUSED("caller_refused", true, REFUSED, WITHIN, RULE),
    /** A larger share of a tenant's requests is refused than in the hour before. */
    TENANT_SHARE("tenant_share", true, SHARE, FACTOR, REQUESTS, WITHIN),
    /** A large share of the requests of the fleet or of a rule is refused. */
    REFUSAL_SHARE("refusal_share", true, SHARE, REQUESTS, WITHIN, RULE),
    /** A node decides without its store. */
    DEGRADED("degraded", false),
    /** A node has stopped asking its store. */
    BREAKER_OPEN("breaker_open", false),
    /** A release has not reached all nodes, or a node refused it. */
    RELEASE_NOT_ACKNOWLEDGED("release_not_acknowledged", false, AFTER),
    /** Redis differs from the released rules. */
    DRIFT("drift", false),
    /** No node holds a new checkpoint of the audit log, or a node refuses the log. */
    AUDIT_NOT_WITNESSED("audit_not_witnessed", false, AFTER),
    /** A node has stopped reporting. */
    NODE_SILENT("node_silent", false);

    private final String word;

    private final boolean isTraffic;

    @SuppressWarnings("ImmutableEnumChecker") // a copy that cannot be changed
    private final Set<String> fields;

    AlertKind(String word, boolean isTraffic, String... fields) {
        this.word = word;
        this.isTraffic = isTraffic;
        this.fields = Set.of(fields);
    }

    /** Returns the name in the API and the database. */
    public String word() {
        return word;
    }

    /** Returns the kind with this name. */
    public static Optional<AlertKind> find(String word) {
        return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }

    /** Returns the names of the thresholds of this kind. */
    Set<String> fields() {
        return fields;
    }

    /** Returns whether the kind depends on counts, which change slowly and take time to read. */
    boolean isTraffic() {
        return isTraffic;
    }
}
