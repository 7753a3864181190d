package io.sluice.rules.internal.index;

import io.sluice.rules.Condition;
import io.sluice.rules.PathPattern;
import io.sluice.rules.Scope;
import java.util.ArrayList;
import java.util.List;

/**
 * That an attribute be one of these.
 *
 * @param keys at least one, no two alike
 */
record Constraint(String attribute, List<Key> keys) {

    /** Everything that a scope asks of a request. */
    static List<Constraint> of(Scope scope) {
        List<Constraint> constraints = new ArrayList<>();
        String service = scope.service();
        if (service != null) {
            constraints.add(new Constraint("service", List.of(new Key.Text(service))));
        }
        PathPattern resource = scope.resource();
        if (resource != null) {
            constraints.add(new Constraint("path", List.of(new Key.Route(resource))));
        }
        if (!scope.methods().isEmpty()) {
            List<Key> methods = new ArrayList<>();
            scope.methods().forEach(method -> methods.add(new Key.Text(method)));
            constraints.add(new Constraint("method", methods));
        }
        scope.match().values().forEach(condition -> constraints.add(of(condition)));
        return constraints;
    }

    private static Constraint of(Condition condition) {
        List<Key> keys = new ArrayList<>();
        condition.values().forEach(value -> keys.add(new Key.Text(value)));
        condition.globs().forEach(glob -> keys.add(new Key.Wild(glob)));
        condition.networks().forEach(network -> keys.add(new Key.Block(network)));
        return new Constraint(condition.attribute(), keys);
    }
}
