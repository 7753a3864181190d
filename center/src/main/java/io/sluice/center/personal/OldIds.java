package io.sluice.center.personal;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The numbers of rows that are removed in one transaction. */
public final class OldIds {

    /** The maximum number of rows of a kind that are removed in one transaction. */
    public static final int AT_ONCE = 500;

    private OldIds() {}

    /** Returns the first numbers that a statement selects. */
    public static List<Long> select(JdbcClient client, String select, Object... params) {
        return client.sql(select + " LIMIT " + AT_ONCE)
                .params(params)
                .query(Long.class)
                .list();
    }

    /** Deletes rows of a table. Table and column are names from the program. */
    public static void delete(JdbcClient client, String table, String column, long value) {
        client.sql("DELETE FROM " + table + " WHERE " + column + " = ?")
                .param(value)
                .update();
    }
}
