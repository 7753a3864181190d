package io.sluice.rules.watch;

import java.util.List;

/** Thrown when files cannot be read, or their content cannot be used. */
public final class ContentRefusedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<String> reasons;

    /** Creates an exception with at least one reason. Each reason is a complete message. */
    public ContentRefusedException(List<String> reasons) {
        super(String.join("; ", reasons));
        this.reasons = List.copyOf(reasons);
    }

    public ContentRefusedException(String reason) {
        this(List.of(reason));
    }

    public List<String> reasons() {
        return reasons;
    }
}
