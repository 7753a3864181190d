package io.sluice.center.erase;

import io.sluice.center.personal.FreeText;
import io.sluice.center.personal.NamedCallers;
import io.sluice.center.personal.PersonalData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The places of the database, apart from the audit log, where texts may name a subject: those that all concepts declare. Every method runs
 * within a transaction of the caller.
 */
final class StoredTexts {

    /** The text that replaces an erased text. */
    static final String ERASED = "(erased)";

    private final List<FreeText> texts;
    private final List<NamedCallers> callers;

    StoredTexts(List<PersonalData> data) {
        this.texts = data.stream().flatMap(each -> each.texts().stream()).toList();
        this.callers = data.stream().flatMap(each -> each.callers().stream()).toList();
    }

    /** A free text at its place. */
    record Place(String table, long id, String column, String text) {}

    /** Decides whether a free text is erased. */
    @FunctionalInterface
    interface Finder {
        boolean isErased(Place place);
    }

    /** Replaces free texts. Returns the original texts. */
    List<Place> erase(JdbcClient client, Finder finder) {
        List<Place> found = new ArrayList<>();
        for (FreeText column : texts) {
            List<Place> own = new ArrayList<>();
            client.sql("SELECT " + column.id() + ", " + column.column() + " FROM " + column.table() + " WHERE "
                            + column.column() + " <> ''")
                    .query((RowCallbackHandler) row -> {
                        Place place = new Place(column.table(), row.getLong(1), column.column(), row.getString(2));
                        if (finder.isErased(place)) {
                            own.add(place);
                        }
                    });
            own.forEach(place -> client.sql("UPDATE " + column.table() + " SET " + column.column() + " = ? WHERE "
                            + column.id() + " = ?")
                    .params(ERASED, place.id())
                    .update());
            found.addAll(own);
        }
        return found;
    }

    /**
     * Callers that were erased.
     *
     * @param counts the number of erased rows by kind; each kind has one
     * @param waiting the running trials that name such a caller
     */
    record ErasedCallers(Map<String, Long> counts, List<Long> waiting) {

        long count() {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /**
     * Erases callers.
     *
     * @param isErased whether an attribute and its value name a caller to erase; the attribute of the hash of a caller is empty
     */
    ErasedCallers eraseCallers(JdbcClient client, String nobody, BiPredicate<String, String> isErased) {
        return eraseCallers(client, nobody, isErased, kind -> true);
    }

    /** Erases callers from rollouts whose trials have ended. */
    ErasedCallers eraseTrials(JdbcClient client, String nobody, BiPredicate<String, String> isErased) {
        return eraseCallers(client, nobody, isErased, Removal.TRIAL_CALLERS::equals);
    }

    private ErasedCallers eraseCallers(
            JdbcClient client, String nobody, BiPredicate<String, String> isErased, Predicate<String> kinds) {
        Map<String, Long> counts = new HashMap<>();
        List<Long> waiting = new ArrayList<>();
        for (NamedCallers named : callers) {
            if (kinds.test(named.kind())) {
                NamedCallers.Erased erased = named.erase(client, nobody, isErased);
                counts.put(named.kind(), erased.count());
                waiting.addAll(erased.waiting());
            }
        }
        return new ErasedCallers(counts, waiting);
    }

    /** Returns whether all of these trials are running. */
    boolean areOnTrial(JdbcClient client, List<Long> trials) {
        return callers.stream().anyMatch(named -> named.areWaiting(client, trials));
    }
}
