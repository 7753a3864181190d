package io.sluice.rules.internal.match;

import io.sluice.rules.internal.table.LookupSubject;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.pattern.PathPattern.Exact;
import io.sluice.rules.pattern.PathPattern.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requires that an attribute has one of several values.
 *
 * @param column the column; constraints with the same column have keys that may be found together
 * @param keys the keys, at least one, all different
 * @param holds tests a value of the attribute, as {@link LookupSubject} returns it
 */
record Constraint(String attribute, String column, List<LookupKey> keys, Predicate<String> holds) {

    private static final int PARTS = 4;
    private static final int USUAL = 4;

    private Constraint(String attribute, List<LookupKey> keys, Predicate<String> holds) {
        this(attribute, attribute, keys, holds);
    }

    /** Returns the distinct constraints of a scope. */
    static List<Constraint> of(Scope scope) {
        List<Constraint> constraints = new ArrayList<>(USUAL);
        String service = scope.service();
        if (service != null) {
            constraints.add(new Constraint("service", List.of(new LookupKey.Text(service)), new Equal(service)));
        }
        PathPattern resource = scope.resource();
        if (resource != null) {
            constraints.add(
                    new Constraint("path", List.of(LookupKey.Route.of(resource.segments())), new OnPath(resource)));
        }
        if (!scope.methods().isEmpty()) {
            Set<String> meant = Scope.meant(scope.methods());
            List<LookupKey> methods = new ArrayList<>(meant.size());
            for (String method : meant) {
                methods.add(new LookupKey.Text(method));
            }
            constraints.add(new Constraint("method", methods, new OneOf(meant)));
        }
        for (Condition condition : scope.match().values()) {
            constraints.add(of(condition));
        }
        return constraints;
    }

    /** Returns the required text if the attribute must be exactly one text; otherwise null. */
    @Nullable
    String text() {
        LookupKey only = keys.size() == 1 ? keys.get(0) : null;
        if (only instanceof LookupKey.Text text) {
            return text.text();
        }
        return only instanceof LookupKey.Route route && route.isOne() ? route.sample() : null;
    }

    boolean holds(LookupSubject subject) {
        String value = subject.get(attribute);
        return value != null && holds.test(value);
    }

    /** Returns whether this constraint always holds if the other does. */
    boolean follows(Constraint other) {
        return keys.get(0) instanceof LookupKey.SegmentAt && other.keys.get(0) instanceof LookupKey.Route;
    }

    /**
     * Adds constraints that follow from a path: that single segments are right. If very many patterns share their beginnings, one
     * of the last segments alone distinguishes them better.
     */
    void addParts(List<Constraint> parts) {
        if (!(holds instanceof OnPath path)) {
            return;
        }
        List<Segment> segments = path.pattern().segments();
        int most = parts.size() + PARTS;
        for (int depth = segments.size() - 1; depth >= 0 && parts.size() < most; depth--) {
            if (segments.get(depth) instanceof Exact exact) {
                parts.add(new Constraint(
                        "path", partColumn(depth), List.of(new LookupKey.SegmentAt(depth, exact.name())), path));
            }
        }
    }

    private static String partColumn(int depth) {
        return "path/".concat(Integer.toString(depth));
    }

    private static Constraint of(Condition condition) {
        Set<String> values = condition.meant();
        int size =
                values.size() + condition.globs().size() + condition.networks().size();
        List<LookupKey> keys = new ArrayList<>(size);
        values.forEach(value -> keys.add(new LookupKey.Text(value)));
        condition.globs().forEach(glob -> keys.add(new LookupKey.Wild(glob)));
        condition.networks().forEach(network -> keys.add(new LookupKey.Block(network)));
        return new Constraint(condition.attribute(), keys, new Meets(condition));
    }

    // Records instead of lambdas: hundreds of thousands are created right after the start of a process, when lambdas
    // are still slow to create.

    private record Equal(String text) implements Predicate<String> {
        @Override
        public boolean test(String value) {
            return text.equals(value);
        }
    }

    private record OneOf(Set<String> texts) implements Predicate<String> {
        @Override
        public boolean test(String value) {
            return texts.contains(value);
        }
    }

    private record OnPath(PathPattern pattern) implements Predicate<String> {
        @Override
        public boolean test(String value) {
            return pattern.matches(value);
        }
    }

    private record Meets(Condition condition) implements Predicate<String> {
        @Override
        public boolean test(String value) {
            return condition.matches(value);
        }
    }
}
