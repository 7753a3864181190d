package io.sluice.center.decisions;

import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Decisions as a busy fleet makes them: random ids, and callers of whom some come often. */
final class SampleDecisions {

    private final Random random = new Random(27);
    private final int rules;

    SampleDecisions(int rules) {
        this.rules = rules;
    }

    DecisionEntry next(long atMillis) {
        int rule = random.nextInt(rules);
        int caller = (int) Math.abs(random.nextGaussian() * 20_000);
        CallerMark address = mark("203.0." + caller % 200 + ".*", caller);
        CallerMark user = mark("u****" + caller % 100, caller + 1_000_000);
        return new DecisionEntry(
                atMillis,
                uuid(),
                hex(16),
                "shop",
                "/api/v1/orders/" + rule % 50,
                "POST",
                Map.of("ip", address, "user", user),
                "rule-" + rule,
                "rule-" + rule + ".0",
                Outcome.REJECTED,
                "limit reached: 100 in 60 s",
                100,
                100,
                1,
                "remote",
                "",
                12,
                Optional.of(address));
    }

    private static CallerMark mark(String masked, int seed) {
        byte[] hash = new byte[32];
        new Random(seed).nextBytes(hash);
        return new CallerMark(masked, Base64.getUrlEncoder().withoutPadding().encodeToString(hash));
    }

    private String hex(int bytes) {
        byte[] id = new byte[bytes];
        random.nextBytes(id);
        return HexFormat.of().formatHex(id);
    }

    private String uuid() {
        String hex = hex(16);
        return hex.substring(0, 8) + "-" + hex.substring(8, 12) + "-" + hex.substring(12, 16) + "-"
                + hex.substring(16, 20) + "-" + hex.substring(20);
    }
}
