package io.sluice.redis.internal.lease;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import io.sluice.redis.internal.refusal.Refusal;
import io.sluice.redis.internal.wire.EndedLease;
import io.sluice.redis.internal.wire.LeaseReply;
import io.sluice.redis.internal.wire.LeaseRequest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The state of one count under the numbers of one limit: the leases that this process holds, the pending request, the store's last reply,
 * and the ended leases to report. Thread-safe; spending and refusing take no lock.
 *
 * <p>At most two leases are held. The first is spent, then the second. The next lease is requested when the only lease has a quarter of its
 * permits left, or twice the permits that are spent during a request. If a change of rules gives the same limit other numbers, these
 * numbers form another key, and the leases of this key become idle.
 */
final class LeasedKey {

    /**
     * After a refusal, or a grant that left nothing, the store is asked again after this pause, or sooner if the window is short.
     */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final int PAUSES_IN_A_WINDOW = 20;

    /** The maximum time that a refusal is cached. Permits returned by other processes become visible after this time. */
    private static final long LONGEST_REFUSAL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The pause after a request whose outcome is unknown. */
    private static final long FAILURE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The next lease is requested when this fraction of the current lease is left, or sooner if this was too late before. */
    private static final int ASK_AT = 4;

    /**
     * Safety factor: ask for the next lease while at least this multiple of the last round trip's usage remains, because once a
     * lease runs dry the real usage is unknown.
     */
    private static final int RESERVE = 2;

    /** A lease without spending for this long is returned. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    final Limit limit;
    final String key;

    private final LeaseListener listener;
    private final String count;
    private final LeaseSlots slots;
    private final long pauseNanos;

    private volatile @Nullable HeldLease first;
    private volatile @Nullable HeldLease second;
    private volatile @Nullable LeaseInquiry underWay;
    private volatile @Nullable LastLeaseReply news;
    private volatile long askFromNanos;

    /** The number of permits that should be left when the next lease is requested, based on the usage during the last request. */
    private volatile long reserve;

    // Guarded by this.
    private final LeaseSizing appetite;
    private final UnreportedEnds owed = new UnreportedEnds();
    private long spentBefore;
    private long spentAtRequest;
    private long spentAtSweep;
    private long quietSinceNanos;
    private boolean roomIsAmple;
    private boolean gone;

    LeasedKey(Limit limit, String key, LeaseListener listener, long nowNanos) {
        this.limit = limit;
        this.key = key;
        this.listener = listener;
        this.count = listener.count(limit, key);
        this.slots = LeaseSlots.of(limit);
        this.pauseNanos =
                Math.min(PAUSE_NANOS, TimeUnit.MICROSECONDS.toNanos(limit.windowMicros()) / PAUSES_IN_A_WINDOW);
        this.appetite = new LeaseSizing(nowNanos);
        this.askFromNanos = nowNanos;
    }

    /**
     * Spends held permits on a demand.
     *
     * @param partly whether fewer permits will do, as long as they meet the demand's minimum
     * @return the verdict for the demand, or null if no permits were spent
     */
    @Nullable
    Verdict take(Ask ask, Demand demand, boolean partly, long nowNanos) {
        HeldLease lease = first;
        if (lease == null) {
            return null;
        }
        long least = partly ? demand.atLeast() : demand.permits();
        long before = take(lease, demand, least, nowNanos);
        if (before == HeldLease.TOO_FEW) {
            lease = after(lease, least, nowNanos);
            before = lease == null ? before : take(lease, demand, least, nowNanos);
        }
        if (lease == null || before < 0) {
            return null;
        }
        long taken = Math.min(before, demand.permits());
        if (listener != LeaseListener.NONE) {
            listener.spent(ask, count, lease.id, taken, nowNanos, lease.endsNanos);
        }
        return spent(lease, taken, before, nowNanos);
    }

    private long take(HeldLease lease, Demand demand, long least, long nowNanos) {
        return lease.isOver(nowNanos)
                ? HeldLease.TOO_FEW
                : lease.take(demand.permits(), least, slots.latest(lease, demand, nowNanos));
    }

    private Verdict spent(HeldLease lease, long taken, long before, long nowNanos) {
        HeldLease other = second;
        LastLeaseReply heard = news;
        long atHand = before - taken + (other == null || other == lease ? 0 : other.left());
        return new Verdict(
                true,
                taken,
                Math.min(limit.capacity(), atHand + (heard == null ? 0 : heard.remaining())),
                0,
                heard == null ? 0 : heard.resetAfterMicros(nowNanos),
                slots.untilMicros(lease, lease.permits - before, nowNanos),
                lease.chargedAtMicros);
    }

    /** Ends a lease that has too few permits. Returns the lease to spend next, or null if there is none. */
    private @Nullable HeldLease after(HeldLease lease, long least, long nowNanos) {
        HeldLease next = second;
        if (next == null || next.isOver(nowNanos) || next.left() < least) {
            HeldLease other = first;
            return other == lease ? null : other;
        }
        synchronized (this) {
            if (first == lease && second == next) {
                retire(lease, nowNanos + IDLE_NANOS, nowNanos);
                first = next;
                second = null;
            }
            return first;
        }
    }

    /** Returns the verdict for a demand that the limit is known to refuse, or null if no refusal is known. */
    @Nullable
    Verdict refusal(Demand demand, long nowNanos) {
        LastLeaseReply heard = news;
        if (heard == null) {
            return null;
        }
        Refusal refusal = heard.refusal();
        if (refusal != null && !refusal.isOver(nowNanos) && refusal.covers(demand)) {
            return refused(Math.max(refusal.untilNanos(), refusal.retryNanos()) - nowNanos, heard, nowNanos);
        }
        HeldLease lease = first;
        if (lease == null || lease.isOver(nowNanos) || lease.left() < demand.permits()) {
            return null;
        }
        long late = slots.untilMicros(lease, lease.permits - lease.left(), nowNanos) - slots.maxWaitMicros(demand);
        return late > 0 ? refused(TimeUnit.MICROSECONDS.toNanos(late), heard, nowNanos) : null;
    }

    private Verdict refused(long forNanos, LastLeaseReply heard, long nowNanos) {
        return new Verdict(
                false,
                0,
                Math.min(limit.capacity(), atHand(nowNanos)),
                Math.max(1, LeaseSlots.microsUp(forNanos)),
                heard.resetAfterMicros(nowNanos),
                0,
                heard.storeMicros(nowNanos));
    }

    /** Returns the verdict for a demand that is not charged because another demand is refused. */
    Verdict unasked(Demand demand, long nowNanos) {
        LastLeaseReply heard = news;
        Verdict refused = refusal(demand, nowNanos);
        if (refused != null || heard == null) {
            return refused != null ? refused : Verdict.unasked(limit.capacity(), 0);
        }
        long remaining = Math.min(limit.capacity(), atHand(nowNanos) + heard.remaining());
        return new Verdict(true, 0, remaining, 0, heard.resetAfterMicros(nowNanos), 0, heard.storeMicros(nowNanos));
    }

    /** Returns an estimate of the store's time, or 0 if the store has not answered yet. */
    long storeMicros(long nowNanos) {
        LastLeaseReply heard = news;
        return heard == null ? 0 : heard.storeMicros(nowNanos);
    }

    /** Returns the number of held permits that can still be spent. */
    long atHand(long nowNanos) {
        return atHand(first, nowNanos) + atHand(second, nowNanos);
    }

    private static long atHand(@Nullable HeldLease lease, long nowNanos) {
        return lease == null || lease.isOver(nowNanos) ? 0 : lease.left();
    }

    /**
     * Puts permits back into the lease that they came from. Returns false if it is closed. Two leases that were charged at the same time
     * are interchangeable, and so is a charge made at that time without a lease, because all of them count until the same moment.
     */
    boolean putBack(String ask, Charge charge, long nowNanos) {
        return putBack(first, ask, charge, nowNanos) || putBack(second, ask, charge, nowNanos);
    }

    private boolean putBack(@Nullable HeldLease lease, String ask, Charge charge, long nowNanos) {
        long permits = charge.permits();
        if (lease == null || lease.chargedAtMicros != charge.chargedAtMicros() || !lease.putBack(permits)) {
            return false;
        }
        if (listener != LeaseListener.NONE) {
            listener.unspent(ask, limit, key, lease.id, permits, nowNanos, lease.endsNanos);
        }
        return true;
    }

    /** Discards the cached refusal, because permits were returned. */
    synchronized void forgetRefusal(long nowNanos) {
        LastLeaseReply heard = news;
        if (heard != null && heard.refusal() != null) {
            news = heard.withoutRefusal();
            askFromNanos = nowNanos;
        }
    }

    /** Returns whether the next lease should be requested. */
    boolean isDue(long nowNanos) {
        HeldLease lease = first;
        HeldLease next = second;
        return (lease == null || lease.isOver(nowNanos) || lease.left() <= Math.max(reserve, lease.permits / ASK_AT))
                && (next == null || next.isOver(nowNanos))
                && underWay == null
                && nowNanos - askFromNanos >= 0;
    }

    @Nullable
    LeaseInquiry underWay() {
        return underWay;
    }

    /** Records that a demand found no held permits. */
    synchronized void elsewhere(Demand demand, long nowNanos) {
        appetite.elsewhere(demand.permits(), nowNanos);
    }

    /**
     * Creates a request for the next lease and marks it as pending. Returns null if no lease is due or worthwhile.
     *
     * @param most the maximum number of permits on leases
     */
    @Nullable
    LeaseInquiry ask(Demand demand, long most, String id, long nowNanos) {
        synchronized (this) {
            if (gone || !isDue(nowNanos) || (first == null && appetite.isCold())) {
                return null;
            }
            long spent = spent();
            long fixed = demand.lease().size();
            long room = room(most);
            long byRate = appetite.wanted(demand, spent - spentAtRequest, isRefused(), room, nowNanos);
            spentAtRequest = spent;
            long wanted = Math.min(fixed == 0 ? byRate : fixed, Math.min(most, Limit.MAX_PERMITS));
            roomIsAmple = wanted <= room / LeaseSizing.AMPLE;
            if (byRate == 0 || wanted < demand.permits()) {
                askFromNanos = nowNanos + LeaseSizing.HORIZON.toNanos();
                return null;
            }
            first = unlessUsedUp(first, nowNanos);
            second = unlessUsedUp(second, nowNanos);
            LeaseRequest request = new LeaseRequest(
                    limit,
                    key,
                    id,
                    wanted,
                    demand.atLeast(),
                    most,
                    demand.lease().ttlMicros(),
                    slots.maxWaitMicros(),
                    owed.take());
            LeaseInquiry inquiry = new LeaseInquiry(request, nowNanos);
            underWay = inquiry;
            return inquiry;
        }
    }

    private @Nullable HeldLease unlessUsedUp(@Nullable HeldLease lease, long nowNanos) {
        if (lease != null && (lease.isOver(nowNanos) || lease.left() == 0)) {
            retire(lease, nowNanos + IDLE_NANOS, nowNanos);
            return null;
        }
        return lease;
    }

    /** Returns the number of permits of the share that the limit had left by the store's last reply, or 0 if there was no reply. */
    private long room(long most) {
        LastLeaseReply heard = news;
        return heard == null ? 0 : Math.min(most, heard.remaining());
    }

    private boolean isRefused() {
        LastLeaseReply heard = news;
        return heard != null && heard.refusal() != null;
    }

    /**
     * Processes the store's reply to a request, once. A later reply can only be the grant of a lease that is no longer wanted.
     *
     * @return the callers that have waited for it
     */
    List<LeaseInquiry.Waiter> answered(LeaseInquiry inquiry, LeaseReply answer, long nowNanos) {
        synchronized (this) {
            List<LeaseInquiry.Waiter> waiters = inquiry.settle();
            if (waiters == null) {
                if (answer instanceof LeaseReply.Granted) {
                    owed.add(new EndedLease(inquiry.request.lease(), 0), nowNanos);
                }
                return List.of();
            }
            if (answer instanceof LeaseReply.Granted granted) {
                granted(inquiry, granted, nowNanos);
            } else if (answer instanceof LeaseReply.Refused refused) {
                refused(inquiry, refused, nowNanos);
            } else if (answer instanceof LeaseReply.Unknown unknown) {
                failed(inquiry.request, unknown, nowNanos);
            }
            underWay = null;
            return waiters;
        }
    }

    private void failed(LeaseRequest request, LeaseReply.Unknown unknown, long nowNanos) {
        long fromNanos = nowNanos + FAILURE_PAUSE_NANOS;
        request.ended().forEach(ended -> owed.add(ended, fromNanos));
        if (unknown.mayBeDone()) {
            owed.add(new EndedLease(request.lease(), 0), fromNanos);
        }
        askFromNanos = fromNanos;
    }

    private void granted(LeaseInquiry inquiry, LeaseReply.Granted granted, long nowNanos) {
        LeaseRequest request = inquiry.request;
        HeldLease lease = new HeldLease(
                request.lease(),
                granted.permits(),
                granted.chargedAtMicros(),
                inquiry.askedNanos + LeaseSlots.nanos(granted.endsAfterMicros()),
                nowNanos + LeaseSlots.nanos(granted.waitMicros()));
        reserve = RESERVE * (spent() - spentAtRequest);
        // The store is known to have nothing left, so an equal request would soon be refused.
        boolean all = granted.remaining() < request.atLeast() && granted.permits() < request.wanted();
        Refusal refusal = all ? refusal(inquiry, 0, nowNanos) : null;
        askFromNanos = refusal == null ? nowNanos : refusal.untilNanos();
        news = new LastLeaseReply(
                granted.remaining(), granted.resetAfterMicros(), granted.atMicros(), nowNanos, refusal);
        if (gone || lease.isOver(nowNanos)) {
            // The grant arrived too late. Pause, so that the next grant does not also arrive too late.
            askFromNanos = nowNanos + pauseNanos;
            retire(lease, nowNanos, nowNanos);
            return;
        }
        quietSinceNanos = nowNanos;
        HeldLease before = first;
        if (before != null && !before.isOver(nowNanos) && before.left() > 0) {
            second = lease;
            return;
        }
        if (before != null) {
            retire(before, nowNanos + IDLE_NANOS, nowNanos);
        }
        first = lease;
    }

    private void refused(LeaseInquiry inquiry, LeaseReply.Refused refused, long nowNanos) {
        Refusal refusal = refused.byShare() ? null : refusal(inquiry, refused.retryAfterMicros(), nowNanos);
        askFromNanos = refusal == null ? inquiry.askedNanos + pauseNanos : refusal.untilNanos();
        news = new LastLeaseReply(
                refused.remaining(), refused.resetAfterMicros(), refused.atMicros(), nowNanos, refusal);
    }

    private Refusal refusal(LeaseInquiry inquiry, long retryMicros, long nowNanos) {
        LeaseRequest request = inquiry.request;
        long retryNanos = LeaseSlots.nanos(retryMicros);
        long believed = Math.min(LONGEST_REFUSAL_NANOS, Math.max(pauseNanos, retryNanos));
        return new Refusal(
                request.atLeast(),
                request.atLeast(),
                request.maxWaitMicros(),
                inquiry.askedNanos,
                inquiry.askedNanos + believed,
                nowNanos + retryNanos);
    }

    /** Ends expired and idle leases. */
    synchronized void sweep(long nowNanos) {
        long spent = spent();
        if (spent != spentAtSweep) {
            spentAtSweep = spent;
            quietSinceNanos = nowNanos;
        }
        boolean idle = nowNanos - quietSinceNanos >= IDLE_NANOS;
        // If the key is busy, the next request may report the end.
        long tellNanos = idle ? nowNanos : nowNanos + 1;
        if (isDone(second, idle, nowNanos)) {
            second = retired(second, tellNanos, nowNanos);
        }
        if (isDone(first, idle, nowNanos)) {
            HeldLease next = second;
            retired(first, tellNanos, nowNanos);
            first = next;
            second = null;
        }
    }

    /** Returns the ended leases to report now. */
    synchronized List<EndedLease> due(long nowNanos) {
        return owed.due(nowNanos);
    }

    private static boolean isDone(@Nullable HeldLease lease, boolean idle, long nowNanos) {
        return lease != null && (idle || lease.isOver(nowNanos));
    }

    /** Ends all leases. A thread that still has this key requests no more leases. */
    synchronized List<EndedLease> leave(long nowNanos) {
        gone = true;
        retired(first, nowNanos, nowNanos);
        retired(second, nowNanos, nowNanos);
        first = null;
        second = null;
        return owed.take();
    }

    /** Records the result of a report. Ends that the store may not have received are reported again. */
    synchronized void told(List<EndedLease> ended, boolean known, long nowNanos) {
        owed.told(ended, known, nowNanos);
    }

    /** Returns whether the key needs no sweep. */
    synchronized boolean isQuiet() {
        return first == null && second == null && underWay == null && owed.isEmpty();
    }

    /** Marks the key as removed if it has been idle for this long and holds no permits. Returns whether it is removed. */
    synchronized boolean leaveIfIdle(long idleNanos, long nowNanos) {
        if (isQuiet() && nowNanos - appetite.lastNanos() >= idleNanos) {
            gone = true;
        }
        return gone;
    }

    private @Nullable HeldLease retired(@Nullable HeldLease lease, long tellNanos, long nowNanos) {
        if (lease != null) {
            retire(lease, tellNanos, nowNanos);
        }
        return null;
    }

    private void retire(HeldLease lease, long tellNanos, long nowNanos) {
        long spent = lease.close();
        if (spent < 0) {
            return;
        }
        spentBefore += spent;
        if (spent < lease.permits) {
            owed.add(new EndedLease(lease.id, spent), tellNanos);
        } else if (!lease.isOver(nowNanos)) {
            // The report returns only a part of the share. If room is ample, it can wait for the next request.
            owed.add(new EndedLease(lease.id, spent), roomIsAmple ? lease.endsNanos : tellNanos);
        }
    }

    private long spent() {
        return spentBefore + spent(first) + spent(second);
    }

    private static long spent(@Nullable HeldLease lease) {
        return lease == null ? 0 : lease.permits - lease.left();
    }
}
