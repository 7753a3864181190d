package io.sluice.redis.internal.wire;

import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What Redis is asked to do in one step: to decide an ask, to take charges back, to renew a permit; and the future of whoever
 * wants to know. Names and texts are made by the thread that asks, so that putting a batch together is quick.
 */
public abstract sealed class Operation {

    /** How {@code decide.lua} calls what is to be done. */
    final char purpose;

    final long deadlineNanos;
    public final String[] counts;
    final String[] texts;

    private int rewritten;

    /** Where it is counted as long as it is not answered; null if it is not. */
    private @Nullable AtomicInteger countedIn;

    private Operation(char purpose, long deadlineNanos, int size) {
        this.purpose = purpose;
        this.deadlineNanos = deadlineNanos;
        this.counts = new String[size];
        this.texts = new String[size];
    }

    /** Counts it among those that are not answered yet, unless they are too many. */
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

    /** It is answered. */
    final void uncount() {
        if (countedIn != null) {
            countedIn.decrementAndGet();
            countedIn = null;
        }
    }

    public final int size() {
        return counts.length;
    }

    /** Whether nobody waits for it any more; then it is not to be charged. */
    public final boolean isLate(long nowNanos) {
        return deadlineNanos != Ask.NO_DEADLINE && nowNanos - deadlineNanos >= 0;
    }

    public final void failLate() {
        fail(new EngineFailure(FailureNames.TIMEOUT, false));
    }

    /** Says what is demanded, for a server whose time is about this. */
    abstract void write(long serverMicros);

    /** Writes it again because the server's time was outside the windows it was told of; false if that has not helped before. */
    public final boolean writeAgain(long serverMicros) {
        write(serverMicros);
        return ++rewritten <= 3;
    }

    /** Takes its part of the reply. */
    public abstract void answer(Reply reply);

    /** Redis did not answer. */
    public abstract void fail(EngineFailure why);

    /** A decision. */
    public static final class AskOperation extends Operation {

        public final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private final Ask ask;

        public AskOperation(Ask ask, RedisKeys names, long serverMicros) {
            super(ask.charges() ? 'c' : 'l', ask.deadlineNanos(), ask.demands().size());
            this.ask = ask;
            for (int i = 0; i < size(); i++) {
                Demand demand = ask.demands().get(i);
                counts[i] = names.of(demand.limit(), demand.key());
            }
            write(serverMicros);
        }

        public Ask ask() {
            return ask;
        }

        @Override
        void write(long serverMicros) {
            for (int i = 0; i < size(); i++) {
                texts[i] = DemandEncoder.of(ask.demands().get(i), serverMicros);
            }
        }

        @Override
        public void answer(Reply reply) {
            List<Verdict> verdicts = new ArrayList<>(size());
            boolean allowed = true;
            for (int i = 0; i < size(); i++) {
                Verdict verdict = verdict(reply, ask.charges());
                allowed &= verdict.fits();
                verdicts.add(verdict);
            }
            if (!allowed) {
                verdicts.replaceAll(AskOperation::uncharged);
            }
            for (int i = 0; reply.isRecorded() && i < size(); i++) {
                reply.record(
                        counts[i],
                        new StepEvent.Asked(
                                ask.id(), ask.demands().get(i), ask.charges(), ask.ruleVersion(), verdicts.get(i)));
            }
            end(new EngineDecision(allowed, verdicts, reply.micros(), null));
        }

        /** This is what became of it. */
        public void end(Outcome what) {
            uncount();
            outcome.complete(what);
        }

        private static Verdict verdict(Reply reply, boolean charges) {
            long grant = reply.next();
            long remaining = reply.next();
            long left = reply.next();
            boolean fits = grant > 0;
            return new Verdict(
                    fits,
                    charges ? grant : 0,
                    remaining,
                    fits ? 0 : orNever(left),
                    orNever(reply.next()),
                    fits ? left : 0,
                    reply.next());
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

    /** Charges that were made, to be taken back or renewed; the future says whether they still counted. */
    public static final class ChargeUpdate extends Operation {

        public final CompletableFuture<Boolean> done = new CompletableFuture<>();
        private final List<Charge> charges;

        private ChargeUpdate(char purpose, List<Charge> charges, RedisKeys names, long serverMicros) {
            super(purpose, Ask.NO_DEADLINE, charges.size());
            this.charges = List.copyOf(charges);
            for (int i = 0; i < size(); i++) {
                counts[i] = names.of(charges.get(i).limit(), charges.get(i).key());
            }
            write(serverMicros);
        }

        public static ChargeUpdate givenBack(List<Charge> charges, RedisKeys names, long serverMicros) {
            return new ChargeUpdate('b', charges, names, serverMicros);
        }

        public static ChargeUpdate renewed(Charge charge, RedisKeys names, long serverMicros) {
            return new ChargeUpdate('r', List.of(charge), names, serverMicros);
        }

        /** The same of some of the charges. */
        public ChargeUpdate of(List<Integer> some, RedisKeys names, long serverMicros) {
            return new ChargeUpdate(purpose, some.stream().map(charges::get).toList(), names, serverMicros);
        }

        @Override
        void write(long serverMicros) {
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

        /** This is what became of it. */
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

    /** Leases of one count, to be ended and perhaps one to be granted. */
    public static final class LeaseUpdate extends Operation {

        public final CompletableFuture<LeaseReply> answer = new CompletableFuture<>();
        private final LeaseRequest request;

        private LeaseUpdate(char purpose, LeaseRequest request, RedisKeys names, long serverMicros) {
            super(purpose, Ask.NO_DEADLINE, 2);
            this.request = request;
            counts[0] = names.of(request.limit(), request.key());
            counts[1] = names.leases(counts[0]);
            write(serverMicros);
        }

        public static LeaseUpdate granting(LeaseRequest request, RedisKeys names, long serverMicros) {
            return new LeaseUpdate('g', request, names, serverMicros);
        }

        /** The answer is not known to be anything but {@link LeaseReply.Unknown} if this fails. */
        public static LeaseUpdate ending(
                Limit limit, String key, List<EndedLease> ended, RedisKeys names, long serverMicros) {
            LeaseRequest request = new LeaseRequest(limit, key, "-", 1, 1, 0, 0, 0, ended);
            return new LeaseUpdate('e', request, names, serverMicros);
        }

        @Override
        void write(long serverMicros) {
            texts[0] = DemandEncoder.of(request, serverMicros);
            texts[1] = DemandEncoder.ofLeases(request);
        }

        @Override
        public void answer(Reply reply) {
            LeaseReply granted = purpose == 'g' ? granted(reply) : new LeaseReply.Refused(true, 0, 0, 0, 0);
            List<StepEvent.Step> steps = new ArrayList<>(request.ended().size() + 1);
            for (EndedLease ended : request.ended()) {
                steps.add(new StepEvent.Ended(ended.lease(), ended.spent(), reply.next()));
            }
            if (purpose == 'g') {
                steps.add(recorded(granted));
            }
            for (int i = 0; reply.isRecorded() && i < steps.size(); i++) {
                reply.record(counts[0], steps.get(i));
            }
            uncount();
            answer.complete(granted);
        }

        private static LeaseReply granted(Reply reply) {
            long permits = reply.next();
            boolean byShare = reply.next() == 1;
            long remaining = reply.next();
            long left = reply.next();
            long reset = orNever(reply.next());
            long chargedAt = reply.next();
            long ends = reply.next();
            return permits > 0
                    ? new LeaseReply.Granted(permits, ends, left, remaining, reset, chargedAt, reply.micros())
                    : new LeaseReply.Refused(byShare, remaining, orNever(left), reset, reply.micros());
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

    private static long orNever(long micros) {
        return micros < 0 ? Verdict.NEVER : micros;
    }
}
