package io.sluice.redis.internal.wire;

import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One step that Redis performs: deciding a request, returning charges, renewing a permit, settling reservations, or granting and
 * ending leases. It also holds the future that receives the result. The calling thread builds the names and texts, so that
 * assembling a batch is fast.
 */
public abstract sealed class Operation {

    /** The code of the operation in {@code decide.lua}. */
    final char purpose;

    final long deadlineNanos;
    public final String[] counts;
    final String[] texts;

    private int rewritten;

    /** The counter that includes this operation until it is answered; null if there is none. */
    private @Nullable AtomicInteger countedIn;

    private Operation(char purpose, long deadlineNanos, String... counts) {
        this.purpose = purpose;
        this.deadlineNanos = deadlineNanos;
        this.counts = counts;
        this.texts = new String[counts.length];
    }

    /** Counts this operation as unanswered. Returns false if there are already too many. */
    public final boolean countIn(AtomicInteger load, int most) {
        if (countedIn == null) {
            if (load.get() >= most) {
                return false;
            }
            load.incrementAndGet();
            countedIn = load;
        }
        return true;
    }

    /** Removes this operation from the counter, because it is answered. */
    final void uncount() {
        if (countedIn != null) {
            countedIn.decrementAndGet();
            countedIn = null;
        }
    }

    public final int size() {
        return counts.length;
    }

    final String[] counts(List<Integer> some) {
        return some.stream().map(i -> counts[i]).toArray(String[]::new);
    }

    /** Returns whether the caller no longer waits. Then the operation must not be charged. */
    public final boolean isLate(long nowNanos) {
        return deadlineNanos != Ask.NO_DEADLINE && nowNanos - deadlineNanos >= 0;
    }

    public final void failLate() {
        fail(new EngineFailure(FailureNames.TIMEOUT, false));
    }

    /** Writes the demands. Only calendar windows use the approximate time of the server. */
    abstract void write(LongSupplier serverMicros);

    /** Writes the demands again, because the server's time was outside the windows in the request. Returns false after three attempts. */
    public final boolean writeAgain(long serverMicros) {
        write(() -> serverMicros);
        return ++rewritten <= 3;
    }

    /** Reads this operation's part of the reply. */
    public abstract void answer(Reply reply);

    /** Completes the operation without an answer from Redis. */
    public abstract void fail(EngineFailure why);

    /** A decision. */
    public static final class AskOperation extends Operation {

        public final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private final Ask ask;

        /**
         * Creates a decision.
         *
         * @param counts the name of each demand's count
         */
        public AskOperation(Ask ask, String[] counts, LongSupplier serverMicros) {
            super(ask.charges() ? 'c' : 'l', ask.deadlineNanos(), counts);
            this.ask = ask;
            write(serverMicros);
        }

        /** Creates the same request for some of the demands. */
        public AskOperation of(List<Integer> some, String trace, LongSupplier serverMicros) {
            Ask part = ask.of(some.stream().map(ask.demands()::get).toList()).tracedBy(trace);
            return new AskOperation(part, counts(some), serverMicros);
        }

        public Ask ask() {
            return ask;
        }

        @Override
        void write(LongSupplier serverMicros) {
            for (int i = 0; i < size(); i++) {
                texts[i] = DemandEncoder.of(ask.demands().get(i), serverMicros);
            }
        }

        @Override
        public void answer(Reply reply) {
            if (size() == 1) {
                Verdict verdict = reply.verdict(ask.demands().get(0).permits(), ask.charges());
                decided(reply, verdict.fits(), List.of(verdict.fits() ? verdict : uncharged(verdict)));
                return;
            }
            List<Verdict> verdicts = new ArrayList<>(size());
            boolean allowed = true;
            for (int i = 0; i < size(); i++) {
                Verdict verdict = reply.verdict(ask.demands().get(i).permits(), ask.charges());
                allowed &= verdict.fits();
                verdicts.add(verdict);
            }
            if (!allowed) {
                verdicts.replaceAll(AskOperation::uncharged);
            }
            decided(reply, allowed, verdicts);
        }

        private void decided(Reply reply, boolean allowed, List<Verdict> verdicts) {
            if (reply.isRecorded()) {
                record(reply, verdicts);
            }
            end(new EngineDecision(allowed, verdicts, reply.micros(), null));
        }

        private void record(Reply reply, List<Verdict> verdicts) {
            for (int i = 0; i < size(); i++) {
                Demand demand = ask.demands().get(i);
                reply.record(
                        counts[i],
                        new StepEvent.Asked(ask.trace(), demand, ask.charges(), ask.ruleVersion(), verdicts.get(i)));
            }
        }

        /** Completes the request with its outcome. */
        public void end(Outcome what) {
            uncount();
            outcome.complete(what);
        }

        private static Verdict uncharged(Verdict verdict) {
            return verdict.granted() == 0
                    ? verdict
                    : new Verdict(
                            verdict.fits(),
                            0,
                            verdict.remaining(),
                            verdict.retryAfterMicros(),
                            verdict.resetAfterMicros(),
                            verdict.waitMicros(),
                            verdict.chargedAtMicros());
        }

        @Override
        public void fail(EngineFailure why) {
            end(why);
        }
    }

    /** Charges to return, or a permit to renew. The future completes with whether a permit among them was still held. */
    public static final class ChargeUpdate extends Operation {

        public final CompletableFuture<Boolean> done = new CompletableFuture<>();
        private final List<Charge> charges;

        private ChargeUpdate(char purpose, List<Charge> charges, String[] counts, LongSupplier serverMicros) {
            super(purpose, Ask.NO_DEADLINE, counts);
            this.charges = List.copyOf(charges);
            write(serverMicros);
        }

        public static ChargeUpdate givenBack(List<Charge> charges, RedisKeys names, LongSupplier serverMicros) {
            String[] counts = charges.stream()
                    .map(charge -> names.of(charge.limit(), charge.key()))
                    .toArray(String[]::new);
            return new ChargeUpdate('b', charges, counts, serverMicros);
        }

        public static ChargeUpdate renewed(Charge charge, RedisKeys names, LongSupplier serverMicros) {
            String[] counts = {names.of(charge.limit(), charge.key())};
            return new ChargeUpdate('r', List.of(charge), counts, serverMicros);
        }

        /** Creates the same operation for some of the charges. */
        public ChargeUpdate of(List<Integer> some, LongSupplier serverMicros) {
            return new ChargeUpdate(purpose, some.stream().map(charges::get).toList(), counts(some), serverMicros);
        }

        @Override
        void write(LongSupplier serverMicros) {
            for (int i = 0; i < size(); i++) {
                texts[i] = DemandEncoder.of(charges.get(i), serverMicros);
            }
        }

        @Override
        public void answer(Reply reply) {
            boolean held = reply.next() == 1;
            for (int i = 0; reply.isRecorded() && i < size(); i++) {
                Charge charge = charges.get(i);
                reply.record(
                        counts[i],
                        purpose == 'b' ? new StepEvent.GivenBack(charge) : new StepEvent.Renewed(charge, held));
            }
            end(held, null);
        }

        /** Completes the operation with its result. */
        public void end(boolean held, @Nullable Throwable failure) {
            uncount();
            if (failure == null) {
                done.complete(held);
            } else {
                done.completeExceptionally(failure);
            }
        }

        @Override
        public void fail(EngineFailure why) {
            end(false, new IllegalStateException(why.reason()));
        }
    }

    /**
     * Reservations to settle. Each has two keys: its count, and the record of its settlement. The future has a result for each reservation.
     */
    public static final class SettlementUpdate extends Operation {

        private static final Kind[] KINDS = {Kind.SETTLED, Kind.REPEATED, Kind.CONFLICT, Kind.UNKNOWN};

        public final CompletableFuture<List<SettlementResult>> results = new CompletableFuture<>();
        private final List<Settlement> settlements;

        private SettlementUpdate(List<Settlement> settlements, String[] counts, LongSupplier serverMicros) {
            super('s', Ask.NO_DEADLINE, counts);
            this.settlements = settlements;
            write(serverMicros);
        }

        public static SettlementUpdate of(List<Settlement> settlements, RedisKeys names, LongSupplier serverMicros) {
            String[] counts = new String[2 * settlements.size()];
            for (int i = 0; i < settlements.size(); i++) {
                Settlement settlement = settlements.get(i);
                counts[2 * i] = names.of(settlement.limit(), settlement.key());
                counts[2 * i + 1] = names.settlement(counts[2 * i], settlement.id());
            }
            return new SettlementUpdate(List.copyOf(settlements), counts, serverMicros);
        }

        /** Creates the same operation for some of the settlements. */
        public SettlementUpdate of(List<Integer> some, LongSupplier serverMicros) {
            List<Integer> pairs =
                    some.stream().flatMap(i -> Stream.of(2 * i, 2 * i + 1)).toList();
            return new SettlementUpdate(some.stream().map(settlements::get).toList(), counts(pairs), serverMicros);
        }

        /** Returns the number of reservations that it settles. */
        public int settlements() {
            return settlements.size();
        }

        /** Returns the name of the record of a settlement. */
        public String record(int settlement) {
            return counts[2 * settlement + 1];
        }

        @Override
        void write(LongSupplier serverMicros) {
            for (int i = 0; i < settlements.size(); i++) {
                texts[2 * i] = DemandEncoder.of(settlements.get(i), serverMicros);
                texts[2 * i + 1] = DemandEncoder.ofRecord(settlements.get(i));
            }
        }

        @Override
        public void answer(Reply reply) {
            List<SettlementResult> read = new ArrayList<>(settlements.size());
            for (int i = 0; i < settlements.size(); i++) {
                Kind kind = KINDS[(int) reply.next() - 1];
                read.add(new SettlementResult(kind, reply.next()));
            }
            for (int i = 0; reply.isRecorded() && i < read.size(); i++) {
                SettlementResult result = read.get(i);
                if (result.kind() == Kind.SETTLED) {
                    reply.record(counts[2 * i], new StepEvent.Settled(settlements.get(i), result.change()));
                } else {
                    reply.skip(2);
                }
            }
            end(read, null);
        }

        /** Completes the operation with its results. */
        public void end(List<SettlementResult> read, @Nullable Throwable failure) {
            uncount();
            if (failure == null) {
                results.complete(List.copyOf(read));
            } else {
                results.completeExceptionally(failure);
            }
        }

        @Override
        public void fail(EngineFailure why) {
            end(List.of(), new IllegalStateException(why.reason()));
        }
    }

    /** Ends leases of one count, and may grant a new lease. */
    public static final class LeaseUpdate extends Operation {

        public final CompletableFuture<LeaseReply> answer = new CompletableFuture<>();
        private final LeaseRequest request;

        private LeaseUpdate(
                char purpose, LeaseRequest request, RedisKeys names, String count, LongSupplier serverMicros) {
            super(purpose, Ask.NO_DEADLINE, count, names.leases(count));
            this.request = request;
            write(serverMicros);
        }

        public static LeaseUpdate granting(LeaseRequest request, RedisKeys names, LongSupplier serverMicros) {
            return of('g', request, names, serverMicros);
        }

        /** Creates an operation that only ends leases. If it fails, the answer is {@link LeaseReply.Unknown}. */
        public static LeaseUpdate ending(
                Limit limit, String key, List<EndedLease> ended, RedisKeys names, LongSupplier serverMicros) {
            LeaseRequest request = new LeaseRequest(limit, key, "-", 1, 1, 0, 0, 0, ended);
            return of('e', request, names, serverMicros);
        }

        private static LeaseUpdate of(char purpose, LeaseRequest request, RedisKeys names, LongSupplier serverMicros) {
            return new LeaseUpdate(purpose, request, names, names.of(request.limit(), request.key()), serverMicros);
        }

        @Override
        void write(LongSupplier serverMicros) {
            texts[0] = DemandEncoder.of(request, serverMicros);
            texts[1] = DemandEncoder.ofLeases(request);
        }

        @Override
        public void answer(Reply reply) {
            LeaseReply granted = purpose == 'g' ? granted(reply) : new LeaseReply.Refused(true, 0, 0, 0, 0);
            if (reply.isRecorded()) {
                record(reply, granted);
            } else {
                reply.skip(request.ended().size());
            }
            uncount();
            answer.complete(granted);
        }

        private static LeaseReply granted(Reply reply) {
            long permits = reply.next();
            boolean byShare = reply.next() == 1;
            long remaining = reply.next();
            long left = reply.next();
            long reset = Reply.orNever(reply.next());
            long chargedAt = reply.next();
            long ends = reply.next();
            return permits > 0
                    ? new LeaseReply.Granted(permits, ends, left, remaining, reset, chargedAt, reply.micros())
                    : new LeaseReply.Refused(byShare, remaining, Reply.orNever(left), reset, reply.micros());
        }

        /** Records the steps. The unspent permits of ended leases come before the numbers of the steps. */
        private void record(Reply reply, LeaseReply granted) {
            List<StepEvent.Step> steps = new ArrayList<>(request.ended().size() + 1);
            for (EndedLease ended : request.ended()) {
                steps.add(new StepEvent.Ended(ended.lease(), ended.spent(), reply.next()));
            }
            if (purpose == 'g') {
                steps.add(recorded(granted));
            }
            steps.forEach(step -> reply.record(counts[0], step));
        }

        private StepEvent.Step recorded(LeaseReply answer) {
            LeaseReply.Granted granted =
                    answer instanceof LeaseReply.Granted some ? some : new LeaseReply.Granted(0, 0, 0, 0, 0, 0, 0);
            return new StepEvent.Granted(
                    request.lease(),
                    request.limit(),
                    request.key(),
                    request.wanted(),
                    request.atLeast(),
                    request.cap(),
                    request.maxWaitMicros(),
                    granted.permits(),
                    granted.atMicros() + granted.endsAfterMicros(),
                    granted.waitMicros(),
                    granted.chargedAtMicros());
        }

        @Override
        public void fail(EngineFailure why) {
            uncount();
            answer.complete(new LeaseReply.Unknown(why.reason(), why.mayHaveCharged()));
        }
    }
}
