package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a count reports is true, and it remembers nothing that it was not charged for. For all algorithms. */
final class HonestAnswersTest {

    /** 142 years: the longest idle time that a bucket can tell. */
    private static final long LONGEST = 1L << 52;

    static List<Integer> kinds() {
        List<Integer> kinds = new ArrayList<>();
        for (int kind = 0; kind < Driven.KINDS; kind++) {
            kinds.add(kind);
        }
        return kinds;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aLoneCallerPassesAtTheMomentItWasToldAndNotAMicrosecondBefore(int kind) {
        Seeded random = Seeded.random("retry-after of kind " + kind);
        long checked = 0;
        for (long round = Seeded.scaled(100, 3_000); round > 0; round--) {
            Limit limit = Driven.limit(random, kind);
            Driven count = new Driven(limit);
            long now = Driven.NOW;
            for (int i = 0; i < 60; i++) {
                // Sometimes time steps back a little.
                now += random.oneIn(10) ? -random.nextInt(500_000) : step(random, limit);
                Demand demand = demand(random, limit, i);
                Verdict verdict = count.ask(demand, now);
                long retry = verdict.retryAfterMicros();
                if (verdict.fits()) {
                    assertThat(retry).as("%s: %s", random, limit).isZero();
                } else if (retry == Verdict.NEVER) {
                    assertThat(demand.atLeast()).as("%s: %s", random, limit).isGreaterThan(limit.capacity());
                } else if (retry < LONGEST) {
                    checked++;
                    assertThat(retry).as("%s: %s %s", random, limit, demand).isPositive();
                    assertThat(count.look(demand, now + retry - 1).fits())
                            .as("%s: %s %s, a microsecond before %d", random, limit, demand, retry)
                            .isFalse();
                    assertThat(count.look(demand, now + retry).fits())
                            .as("%s: %s %s, after %d", random, limit, demand, retry)
                            .isTrue();
                }
            }
        }
        assertThat(checked).isPositive();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aCountIsUnusedWhenItSaidItWouldBeAndNotBefore(int kind) {
        Seeded random = Seeded.random("reset-after of kind " + kind);
        for (long round = Seeded.scaled(100, 3_000); round > 0; round--) {
            Limit limit = Driven.limit(random, kind);
            Driven count = new Driven(limit);
            long now = Driven.NOW;
            for (int i = 0; i < 20; i++) {
                now += step(random, limit);
                Verdict verdict = count.ask(demand(random, limit, i), now);
                long reset = verdict.resetAfterMicros();
                if (reset != Verdict.NEVER && reset < LONGEST) {
                    assertThat(count.isUnused(now + reset))
                            .as("%s: %s", random, limit)
                            .isTrue();
                    assertThat(reset == 0 || !count.isUnused(now + reset - 1))
                            .as("%s: %s, a microsecond before %d", random, limit, reset)
                            .isTrue();
                    if (limit.capacity() <= Limit.MAX_PERMITS) {
                        assertThat(count.look(Demand.of(limit, "k", limit.capacity()), now + reset)
                                        .fits())
                                .as("%s: all of %s fits", random, limit)
                                .isTrue();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void refusalsAndLooksChangeNothing(int kind) {
        Seeded random = Seeded.random("refusals of kind " + kind);
        for (long round = Seeded.scaled(50, 1_500); round > 0; round--) {
            Limit limit = Driven.limit(random, kind);
            Driven busy = new Driven(limit);
            Driven quiet = new Driven(limit);
            long now = Driven.NOW;
            for (int i = 0; i < 200; i++) {
                now += step(random, limit);
                for (int noise = random.nextInt(4); noise > 0; noise--) {
                    Demand demand = demand(random, limit, i);
                    if (random.nextBoolean()) {
                        busy.look(demand, now);
                    } else {
                        busy.refusedElsewhere(demand, now);
                    }
                }
                Demand demand = demand(random, limit, i);
                Verdict expected = quiet.look(demand, now);
                if (expected.fits()) {
                    assertThat(busy.ask(demand, now))
                            .as("%s: %s", random, limit)
                            .isEqualTo(quiet.ask(demand, now));
                } else {
                    assertThat(busy.ask(demand, now))
                            .as("%s: %s", random, limit)
                            .isEqualTo(expected);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aGiveBackNeverMakesMoreRoomThanIfNothingHadBeenCharged(int kind) {
        Seeded random = Seeded.random("give-back of kind " + kind);
        for (long round = Seeded.scaled(100, 3_000); round > 0; round--) {
            Limit limit = Driven.limit(random, kind);
            Driven charged = new Driven(limit);
            Driven twin = new Driven(limit);
            List<Charge> open = new ArrayList<>();
            long now = Driven.NOW;
            for (int i = 0; i < 150; i++) {
                now += step(random, limit);
                Demand demand = demand(random, limit, i);
                int what = random.nextInt(4);
                if (what == 0) {
                    Verdict verdict = charged.ask(demand, now);
                    if (verdict.fits()) {
                        open.add(Driven.charge(demand, verdict));
                    }
                } else if (what == 1 && !open.isEmpty()) {
                    charged.giveBack(open.remove(random.nextInt(open.size())), now);
                } else if (what == 2) {
                    Verdict verdict = charged.ask(demand, now);
                    if (verdict.fits()) {
                        Demand same = demand.orAtLeast(1);
                        long granted = verdict.granted();
                        Demand exactly = new Demand(
                                same.limit(),
                                same.key(),
                                granted,
                                granted,
                                same.maxWaitMicros(),
                                same.holder(),
                                same.label(),
                                same.guard(),
                                same.lease());
                        assertThat(twin.ask(exactly, now).granted())
                                .as("%s: what fits beside a charge fits without it, %s", random, limit)
                                .isEqualTo(granted);
                    }
                }
                Demand one = Demand.of(limit, "k", 1);
                assertThat(charged.look(one, now).remaining())
                        .as("%s: %s at step %d", random, limit, i)
                        .isLessThanOrEqualTo(twin.look(one, now).remaining());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatIsGivenBackAtOnceIsAsIfItHadNeverBeenCharged(int kind) {
        Seeded random = Seeded.random("give-back at once of kind " + kind);
        for (long round = Seeded.scaled(60, 2_000); round > 0; round--) {
            Limit limit = Driven.limit(random, kind);
            Driven count = new Driven(limit);
            long now = Driven.NOW;
            for (int i = 0; i < 50; i++) {
                now += step(random, limit);
                count.ask(demand(random, limit, i), now);
                Demand one = Demand.of(limit, "k", 1);
                long before = count.look(one, now).remaining();
                Demand demand = demand(random, limit, 1_000 + i);
                Verdict verdict = count.ask(demand, now);
                if (verdict.fits()) {
                    count.giveBack(Driven.charge(demand, verdict), now);
                }
                assertThat(count.look(one, now).remaining())
                        .as("%s: %s", random, limit)
                        .isEqualTo(before);
            }
        }
    }

    private static Demand demand(Seeded random, Limit limit, int step) {
        long permits = random.oneIn(3) ? 1 : 1 + random.nextLong(limit.capacity() + 1);
        Demand demand =
                Demand.of(limit, "k", permits).orAtLeast(random.oneIn(3) ? 1 + random.nextLong(permits) : permits);
        return demand.holder().isEmpty() ? demand : demand.heldBy("holder" + step + "." + random.nextInt());
    }

    private static long step(Seeded random, Limit limit) {
        return random.oneIn(3) ? 0 : random.magnitude(1, 1 + Driven.span(limit) / (1 + random.nextInt(8)));
    }
}
