package io.sluice.center.personal;

import java.util.List;
import java.util.function.BiPredicate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Callers that the rows of a table name. Every method runs within a transaction of the caller. */
public interface NamedCallers {

    /** Returns the name of the number of erased callers in the result of an erasure, such as {@code overrides}. */
    String kind();

    /**
     * Erases callers.
     *
     * @param nobody a value that belongs to no caller, for rows that cannot do without one
     * @param isErased whether an attribute and its value name a caller to erase. A caller that is known only by the hash of a node has an
     *     empty attribute
     */
    Erased erase(JdbcClient client, String nobody, BiPredicate<String, String> isErased);

    /** Returns whether all of these rows must still keep their callers. */
    default boolean areWaiting(JdbcClient client, List<Long> rows) {
        return false;
    }

    /**
     * The result of an erasure.
     *
     * @param count the number of rows without the callers
     * @param waiting the numbers of rows that must keep their callers for now
     */
    record Erased(long count, List<Long> waiting) {}
}
