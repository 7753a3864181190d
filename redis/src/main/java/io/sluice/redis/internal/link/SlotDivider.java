package io.sluice.redis.internal.link;

import io.sluice.core.history.AskTraces;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.SettlementResult;
import io.sluice.redis.internal.wire.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * Splits an operation on counts in several places into one operation per place, and merges the answers. An operation with all its
 * counts in one place stays whole. So does a lease operation, because leases are stored with their count. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the parts report to the merged operation
public final class SlotDivider {

    private final LongSupplier serverMicros;
    private final Consumer<List<Charge>> giveBack;

    /**
     * Creates a divider.
     *
     * @param giveBack returns the charges of some parts of a request when other parts refused it
     */
    public SlotDivider(LongSupplier serverMicros, Consumer<List<Charge>> giveBack) {
        this.serverMicros = serverMicros;
        this.giveBack = giveBack;
    }

    /** Splits an operation so that each part is about one count, or settles one reservation. */
    List<Operation> alone(Operation question) {
        return question instanceof Operation.SettlementUpdate settling
                ? settlements(settling, i -> i)
                : divided(question, count -> count);
    }

    /** Splits an operation so that the counts of each part are in one place. */
    public List<Operation> divided(Operation question, Function<String, Object> placeOf) {
        if (question instanceof Operation.SettlementUpdate settling) {
            return settlements(settling, i -> placeOf.apply(settling.counts[2 * i]));
        }
        if (question.size() == 1 || question instanceof Operation.LeaseUpdate) {
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
        return question instanceof Operation.AskOperation asked
                ? asks(asked, places.values())
                : charges((Operation.ChargeUpdate) question, places.values());
    }

    private List<Operation> asks(Operation.AskOperation whole, Collection<List<Integer>> places) {
        MergedAsk merged = new MergedAsk(whole, List.copyOf(places), giveBack);
        List<Operation> parts = new ArrayList<>(places.size());
        for (List<Integer> place : places) {
            int index = parts.size();
            String trace = AskTraces.part(whole.ask().trace(), index);
            Operation.AskOperation part = whole.of(place, trace, serverMicros);
            part.outcome.thenAccept(outcome -> merged.landed(index, part.ask(), outcome));
            parts.add(part);
        }
        return parts;
    }

    /** Splits settlements. The record of a settlement is in the place of its count. */
    private List<Operation> settlements(Operation.SettlementUpdate whole, IntFunction<Object> placeOf) {
        Map<Object, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < whole.settlements(); i++) {
            places.computeIfAbsent(placeOf.apply(i), place -> new ArrayList<>()).add(i);
        }
        if (places.size() == 1) {
            return List.of(whole);
        }
        SettlementResult[] results = new SettlementResult[whole.settlements()];
        List<Operation> parts = new ArrayList<>(places.size());
        List<CompletableFuture<Void>> done = new ArrayList<>(places.size());
        for (List<Integer> place : places.values()) {
            Operation.SettlementUpdate part = whole.of(place, serverMicros);
            parts.add(part);
            done.add(part.results.thenAccept(some -> {
                for (int i = 0; i < some.size(); i++) {
                    results[place.get(i)] = some.get(i);
                }
            }));
        }
        CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))
                .whenComplete((all, failure) -> whole.end(failure == null ? List.of(results) : List.of(), failure));
        return parts;
    }

    private List<Operation> charges(Operation.ChargeUpdate whole, Collection<List<Integer>> places) {
        List<Operation> parts = new ArrayList<>(places.size());
        List<CompletableFuture<Boolean>> done = new ArrayList<>(places.size());
        for (List<Integer> place : places) {
            Operation.ChargeUpdate part = whole.of(place, serverMicros);
            parts.add(part);
            done.add(part.done);
        }
        CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))
                .whenComplete((all, failure) ->
                        whole.end(failure == null && done.stream().anyMatch(CompletableFuture::join), failure));
        return parts;
    }
}
