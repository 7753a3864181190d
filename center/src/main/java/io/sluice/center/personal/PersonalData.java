package io.sluice.center.personal;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The texts of some tables that may name a person. The concept that owns the tables declares them, and an erasure works through all
 * declarations. Every method runs within a transaction of the caller.
 */
public interface PersonalData {

    /** Returns the columns with texts that people write and that nothing depends on. An erasure replaces such a text. */
    default List<FreeText> texts() {
        return List.of();
    }

    /** Returns the callers that rows name. An erasure removes them. */
    default List<NamedCallers> callers() {
        return List.of();
    }

    /** Returns the places that name the subject and that an erasure cannot change, as sentences that do not name it. */
    default List<String> left(JdbcClient client, SubjectText subject) {
        return List.of();
    }
}
