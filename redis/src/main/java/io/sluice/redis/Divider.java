package io.sluice.redis;

import io.sluice.core.history.AskIds;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Makes of a question about counts in several places one question for each place, whose answers together are its own. A question
 * all of whose counts are in one place stays as it is, and so does one of leases, which are kept where their count is. Safe for use by many threads.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the parts report to the whole
final class Divider {

    private final CountKeys names;
    private final LongSupplier serverMicros;
    private final Consumer<List<Charge>> giveBack;

    /** @param giveBack undoes what parts have charged, of an ask that others refused */
    Divider(CountKeys names, LongSupplier serverMicros, Consumer<List<Charge>> giveBack) {
        this.names = names;
        this.serverMicros = serverMicros;
        this.giveBack = giveBack;
    }

    /** Each count is a place of its own. */
    List<Question> alone(Question question) {
        return divided(question, count -> count);
    }

    List<Question> divided(Question question, Function<String, Object> placeOf) {
        if (question.size() == 1 || question instanceof Question.Leasing) {
            return List.of(question);
        }
        Object first = placeOf.apply(question.counts[0]);
        if (Arrays.stream(question.counts)
                .allMatch(count -> placeOf.apply(count).equals(first))) {
            return List.of(question);
        }
        Map<Object, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < question.size(); i++) {
            places.computeIfAbsent(placeOf.apply(question.counts[i]), place -> new ArrayList<>())
                    .add(i);
        }
        return question instanceof Question.Asked asked
                ? asks(asked, places.values())
                : charges((Question.Charged) question, places.values());
    }

    private List<Question> asks(Question.Asked whole, Collection<List<Integer>> places) {
        Ask ask = whole.ask();
        MergedAsk merged = new MergedAsk(whole, List.copyOf(places), giveBack);
        List<Question> parts = new ArrayList<>(places.size());
        for (List<Integer> place : places) {
            Ask part =
                    ask.of(place.stream().map(ask.demands()::get).toList()).called(AskIds.part(ask.id(), parts.size()));
            Question.Asked question = new Question.Asked(part, names, serverMicros.getAsLong());
            int index = parts.size();
            question.outcome.thenAccept(outcome -> merged.landed(index, part, outcome));
            parts.add(question);
        }
        return parts;
    }

    private List<Question> charges(Question.Charged whole, Collection<List<Integer>> places) {
        List<Question> parts = new ArrayList<>(places.size());
        List<CompletableFuture<Boolean>> done = new ArrayList<>(places.size());
        for (List<Integer> place : places) {
            Question.Charged part = whole.of(place, names, serverMicros.getAsLong());
            parts.add(part);
            done.add(part.done);
        }
        CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))
                .whenComplete((all, failure) ->
                        whole.end(done.stream().allMatch(each -> failure == null && each.join()), failure));
        return parts;
    }
}
