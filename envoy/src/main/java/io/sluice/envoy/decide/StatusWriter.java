package io.sluice.envoy.decide;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Windows;
import io.sluice.envoy.decide.JointRuling.PartRuling;
import io.sluice.envoy.decide.JointRuling.Standing;
import io.sluice.envoy.descriptor.EnvoyDescriptor;
import io.sluice.envoy.descriptor.Unit;
import org.jspecify.annotations.Nullable;

/** Builds the status of a descriptor from its ruling. */
final class StatusWriter {

    private static final long MOST = 0xFFFF_FFFFL;
    private static final long MICROS = 1_000_000;

    /**
     * The shared message for limits per second, which are the most frequent. Building a message per answer costs as much as finding the
     * rule.
     */
    private static final Duration ONE_SECOND =
            Duration.newBuilder().setSeconds(1).build();

    /** The status of a descriptor without a rule, or with a rule that exempts it. */
    static final DescriptorStatus PASSED =
            DescriptorStatus.newBuilder().setCode(Code.OK).build();

    static final DescriptorStatus UNLIMITED = DescriptorStatus.newBuilder()
            .setCode(Code.OK)
            .setLimitRemaining((int) MOST)
            .build();

    static final DescriptorStatus REFUSED =
            DescriptorStatus.newBuilder().setCode(Code.OVER_LIMIT).build();

    private StatusWriter() {}

    static DescriptorStatus of(DescriptorMatch found, PartRuling ruling, long atMicros) {
        boolean usedUp = ruling.usedUp() != null && found.isQuota();
        Standing reported = ruling.allowed() && usedUp ? ruling.usedUp() : reported(ruling);
        if (reported == null) {
            return !ruling.allowed() ? REFUSED : found.isUnlimited() ? UNLIMITED : PASSED;
        }
        return DescriptorStatus.newBuilder()
                .setCode(ruling.allowed() && !usedUp ? Code.OK : Code.OVER_LIMIT)
                .setCurrentLimit(limit(reported))
                .setLimitRemaining((int) Math.min(MOST, reported.remaining()))
                .setDurationUntilReset(reset(reported, atMicros))
                .build();
    }

    /**
     * Returns the first limit that refuses, otherwise the limit with the fewest remaining permits. Shadow limits count only if there are no
     * other limits.
     */
    private static @Nullable Standing reported(PartRuling ruling) {
        Standing best = null;
        for (Standing next : ruling.limits()) {
            if (best == null || before(next, best)) {
                best = next;
            }
        }
        return best;
    }

    private static boolean before(Standing a, Standing b) {
        if (a.shadow() != b.shadow()) {
            return b.shadow();
        }
        return a.fits() != b.fits() ? b.fits() : a.fits() && a.remaining() < b.remaining();
    }

    private static RateLimit limit(Standing standing) {
        Limit limit = standing.limit();
        RateLimit.Builder builder = RateLimit.newBuilder()
                .setRequestsPerUnit((int) Math.min(MOST, limit.capacity()))
                .setUnit(Unit.of(limit));
        EnvoyDescriptor.of(standing.rule()).flatMap(EnvoyDescriptor::name).ifPresent(builder::setName);
        return builder.build();
    }

    /** Returns the time until the reset in whole seconds, rounded up. A window counts until its end, even if it is unused. */
    private static Duration reset(Standing standing, long atMicros) {
        Windows windows = standing.limit().windows();
        long micros = windows != null
                ? windows.at(atMicros).endMicros() - atMicros
                : standing.resetAfter().isPresent()
                        ? standing.resetAfter().get().toNanos() / 1_000
                        : 0;
        long seconds = (micros + MICROS - 1) / MICROS;
        return seconds == 1
                ? ONE_SECOND
                : Duration.newBuilder().setSeconds(seconds).build();
    }
}
