package io.sluice.core.limit;

import java.time.Duration;
import java.time.ZoneId;
import java.util.Collection;
import java.util.List;

/** The parameters of limits, in the order in which they are written. Each {@link Algorithm} has some of them. */
public enum Parameter {
    RATE("rate", Rate.class, Role.NUMBER, false, 0),
    BURST("burst", Long.class, Role.NUMBER, true, Limit.MAX_CAPACITY),
    CAPACITY("capacity", Long.class, Role.NUMBER, true, Limit.MAX_CAPACITY - 1),
    MAX_WAIT("max_wait", Duration.class, Role.NUMBER, true, 0),
    LIMIT("limit", Long.class, Role.NUMBER, false, Limit.MAX_CAPACITY),
    WINDOW("window", Duration.class, Role.SHAPE, false, 0),
    ALIGN("align", Calendar.class, Role.SHAPE, false, 0),
    ZONE("zone", ZoneId.class, Role.SHAPE, true, 0),
    SLICES("slices", Long.class, Role.SHAPE, true, SlidingWindow.MAX_SLICES),
    WEIGHTED("weighted", Boolean.class, Role.READING, true, 0),
    TTL("ttl", Duration.class, Role.NUMBER, false, 0);

    /** The effect of a change of the parameter. */
    private enum Role {
        /** Counts survive a change, so that an override may replace the value. */
        NUMBER,
        /** A change starts a new count. */
        SHAPE,
        /** Counts survive a change, but all callers have the same value. */
        READING
    }

    private final String word;
    private final Class<?> type;
    private final Role role;
    private final boolean hasDefault;
    private final long largest;

    Parameter(String word, Class<?> type, Role role, boolean hasDefault, long largest) {
        this.word = word;
        this.type = type;
        this.role = role;
        this.hasDefault = hasDefault;
        this.largest = largest;
    }

    /** Returns the spelling in documents. */
    public String word() {
        return word;
    }

    /** Returns the words of these parameters. */
    public static List<String> words(Collection<Parameter> parameters) {
        return parameters.stream().map(Parameter::word).toList();
    }

    /** Returns the type of the values. */
    public Class<?> type() {
        return type;
    }

    /** Returns whether the value is an amount, which an override may replace. */
    public boolean isNumber() {
        return role == Role.NUMBER;
    }

    /** Returns whether the value is part of the {@linkplain Limit#shape() shape}, so that a change starts a new count. */
    public boolean isShape() {
        return role == Role.SHAPE;
    }

    /** Returns whether a limit can be built without it. The default may depend on the parameters before it. */
    public boolean hasDefault() {
        return hasDefault;
    }

    /** Returns the largest whole number. See {@link Algorithm#largest} for the bound of one algorithm. */
    long largest() {
        return largest;
    }
}
