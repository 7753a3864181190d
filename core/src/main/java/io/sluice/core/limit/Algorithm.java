package io.sluice.core.limit;

import static io.sluice.core.limit.Parameter.ALIGN;
import static io.sluice.core.limit.Parameter.BURST;
import static io.sluice.core.limit.Parameter.CAPACITY;
import static io.sluice.core.limit.Parameter.LIMIT;
import static io.sluice.core.limit.Parameter.MAX_WAIT;
import static io.sluice.core.limit.Parameter.RATE;
import static io.sluice.core.limit.Parameter.SLICES;
import static io.sluice.core.limit.Parameter.TTL;
import static io.sluice.core.limit.Parameter.WEIGHTED;
import static io.sluice.core.limit.Parameter.WINDOW;
import static io.sluice.core.limit.Parameter.ZONE;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * The algorithms, with the parameters and the properties of each. Code that handles each algorithm separately switches over all of them, so
 * that a new algorithm breaks its compilation until it is handled. All other code asks for a property.
 */
@SuppressWarnings("ImmutableEnumChecker") // the lists are immutable and the factories have no state
public enum Algorithm {
    TOKEN_BUCKET(
            "token_bucket",
            "tb",
            Limit.MAX_CAPACITY,
            List.of(RATE),
            List.of(BURST, MAX_WAIT),
            TokenBucket::of,
            Trait.SETTLES,
            Trait.LEASES,
            Trait.GRANTS_AHEAD),
    LEAKY_BUCKET(
            "leaky_bucket",
            "lb",
            Limit.MAX_CAPACITY - 1,
            List.of(RATE),
            List.of(CAPACITY, MAX_WAIT),
            LeakyBucket::of,
            Trait.LEASES,
            Trait.QUEUES),
    FIXED_WINDOW(
            "fixed_window",
            "fw",
            Limit.MAX_CAPACITY,
            List.of(LIMIT),
            List.of(WINDOW, ALIGN, ZONE),
            FixedWindow::of,
            Trait.SETTLES,
            Trait.LEASES),
    SLIDING_WINDOW(
            "sliding_window",
            "sw",
            Limit.MAX_CAPACITY,
            List.of(LIMIT, WINDOW),
            List.of(SLICES, WEIGHTED),
            SlidingWindow::of,
            Trait.SETTLES,
            Trait.LEASES),
    SLIDING_LOG(
            "sliding_log",
            "sl",
            SlidingLog.MAX_LIMIT,
            List.of(LIMIT, WINDOW),
            List.of(),
            SlidingLog::of,
            Trait.SETTLES),
    CONCURRENCY(
            "concurrency", "cc", Concurrency.MAX_LIMIT, List.of(LIMIT, TTL), List.of(), Concurrency::of, Trait.HOLDS);

    private enum Trait {
        SETTLES,
        LEASES,
        GRANTS_AHEAD,
        QUEUES,
        HOLDS
    }

    private final String word;
    private final String code;
    private final long largest;
    private final List<Parameter> required;
    private final List<Parameter> parameters;
    private final BiFunction<String, ParameterValues, Limit> factory;
    private final Parameter number;
    private final boolean settles;
    private final boolean leases;
    private final boolean grantsAhead;
    private final boolean queues;
    private final boolean holds;

    Algorithm(
            String word,
            String code,
            long largest,
            List<Parameter> required,
            List<Parameter> optional,
            BiFunction<String, ParameterValues, Limit> factory,
            Trait... traits) {
        this.word = word;
        this.code = code;
        this.largest = largest;
        this.required = required;
        this.parameters = Stream.concat(required.stream(), optional.stream()).toList();
        this.factory = factory;
        this.number = required.contains(LIMIT) ? LIMIT : optional.get(0);
        List<Trait> own = List.of(traits);
        this.settles = own.contains(Trait.SETTLES);
        this.leases = own.contains(Trait.LEASES);
        this.grantsAhead = own.contains(Trait.GRANTS_AHEAD);
        this.queues = own.contains(Trait.QUEUES);
        this.holds = own.contains(Trait.HOLDS);
    }

    /**
     * Returns the algorithm with this word.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Algorithm of(String word) {
        for (Algorithm each : values()) {
            if (each.word.equals(word)) {
                return each;
            }
        }
        throw new IllegalArgumentException("algorithm: \"" + word + "\" (expected: a known algorithm)");
    }

    /** Returns the spelling in documents and between programs. */
    public String word() {
        return word;
    }

    /** Returns the two letters with which {@linkplain Limit#shape() shapes} and the demands of stores begin. */
    public String code() {
        return code;
    }

    /** Returns the parameters that must be given. A fixed window also needs either {@code WINDOW} or {@code ALIGN}. */
    public List<Parameter> required() {
        return required;
    }

    /** Returns all parameters, the required parameters first. */
    public List<Parameter> parameters() {
        return parameters;
    }

    /** Returns whether limits of this algorithm can have the parameter. */
    public boolean has(Parameter parameter) {
        return parameters.contains(parameter);
    }

    /** Returns the parameter with the number of permits that are granted at one moment: burst, capacity or limit. */
    public Parameter number() {
        return number;
    }

    /** Returns the largest value of the {@link #number()}. */
    public long largest() {
        return largest;
    }

    /** Returns the largest value of a whole number. */
    public long largest(Parameter parameter) {
        return parameter == number ? largest : parameter.largest();
    }

    /** Returns whether charges can be settled afterwards. */
    public boolean settles() {
        return settles;
    }

    /** Returns whether permits may be leased to processes in advance. */
    public boolean leases() {
        return leases;
    }

    /** Returns whether permits that will flow within the maximum wait are granted in advance. */
    public boolean grantsAhead() {
        return grantsAhead;
    }

    /** Returns whether each request waits in a queue for a time slot of its own. */
    public boolean queues() {
        return queues;
    }

    /** Returns whether permits are held under the name of a holder until they are returned. */
    public boolean holds() {
        return holds;
    }

    /**
     * Builds a limit.
     *
     * @param values the required parameters, and the parameters that do not have their default
     * @throws IllegalArgumentException if a parameter is missing, unknown or impossible
     */
    public Limit limit(String name, Map<Parameter, Object> values) {
        return factory.apply(new Limit.Named(name).name(), new ParameterValues(this, values));
    }
}
