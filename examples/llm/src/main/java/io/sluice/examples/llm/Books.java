package io.sluice.examples.llm;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The books of the gateway and of the model, side by side. Immutable. */
record Books(List<Row> rows) {

    /**
     * A tenant.
     *
     * @param seen what its callers saw
     * @param model what the model did for it
     * @param counted the tokens that its budget lost
     */
    record Row(String tenant, Traffic.Seen seen, Ledger.Entry model, long counted) {

        /** Returns what is charged for complete answers: what the budget lost, without the reservations that stand. */
        long settled() {
            return counted - seen.standing();
        }

        /** Returns whether both sides have the same tokens and the same number of answers. */
        boolean agrees() {
            return settled() == model.tokens() && seen.answered() == model.complete() && seen.left() == model.aborted();
        }
    }

    Books {
        rows = List.copyOf(rows);
    }

    boolean agree() {
        return rows.stream().allMatch(Row::agrees);
    }

    @Override
    public String toString() {
        List<String> lines = new ArrayList<>();
        lines.add("                      complete answers                      streams that were left        monthly");
        lines.add(
                "tenant   refused  number   reserved    settled  true usage  number   reserved   written     budget  agree");
        for (Row row : rows) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%-8s %7d %7d %,10d %,10d %,11d %7d %,10d %,9d %,10d  %s",
                    row.tenant(),
                    row.seen().refused(),
                    row.seen().answered(),
                    row.seen().reserved() - row.seen().standing(),
                    row.settled(),
                    row.model().tokens(),
                    row.seen().left(),
                    row.seen().standing(),
                    row.model().lost(),
                    -row.counted(),
                    row.agrees() ? "yes" : "NO"));
        }
        return String.join("\n", lines);
    }
}
